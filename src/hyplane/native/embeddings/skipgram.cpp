#include "skipgram.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hyplane {

namespace {

double dot(const double* a, const double* b, std::size_t dim) {
    double sum = 0.0;
    for (std::size_t k = 0; k < dim; ++k) sum += a[k] * b[k];
    return sum;
}

// Sums of gradients over one batch, one slot for each different node that occurs in it. `fixed` is
// the dimension, or 0 where only `any` knows it.
template <std::size_t fixed>
class BatchGradient {
  public:
    BatchGradient(std::size_t n_nodes, std::size_t any) : any_(any), slot_of_(n_nodes, -1) {}

    // Where the sum for `node` is kept: `dim` numbers, then the one for its bias. The pointer
    // holds until the next call.
    double* at(std::int32_t node) {
        std::int32_t& slot = slot_of_[static_cast<std::size_t>(node)];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(nodes_.size());
            nodes_.push_back(node);
            // The memory of earlier batches is used again.
            if (sums_.size() < nodes_.size() * width()) sums_.resize(2 * nodes_.size() * width());
            std::fill_n(of_slot(static_cast<std::size_t>(slot)), width(), 0.0);
        }
        return of_slot(static_cast<std::size_t>(slot));
    }

    template <class Step>
    void apply_and_clear(Step step) {
        for (std::size_t slot = 0; slot < nodes_.size(); ++slot) {
            step(static_cast<std::size_t>(nodes_[slot]), of_slot(slot));
            slot_of_[static_cast<std::size_t>(nodes_[slot])] = -1;
        }
        nodes_.clear();
    }

  private:
    std::size_t width() const { return (fixed > 0 ? fixed : any_) + 1; }
    double* of_slot(std::size_t slot) { return sums_.data() + slot * width(); }

    std::size_t any_;
    std::vector<std::int32_t> slot_of_;
    std::vector<std::int32_t> nodes_;
    std::vector<double> sums_;
};

// v <- (r - rate u.g) exp_u(-rate r / sinh(r) (g - (u.g) u)): a plain step on the radius and, along
// the great circle of directions, the step on the angle divided by sinh r.
template <std::size_t fixed>
void move(double* v, const double* gradient, double rate, std::size_t any) {
    const std::size_t dim = fixed > 0 ? fixed : any;
    const double square = dot(v, v, dim);
    if (square == 0.0) {  // the origin has no direction to turn
        for (std::size_t k = 0; k < dim; ++k) v[k] -= rate * gradient[k];
        return;
    }
    const double along_v = dot(v, gradient, dim) / square;  // u.g / r
    double tangential_square = 0.0;
    for (std::size_t k = 0; k < dim; ++k) {
        const double part = gradient[k] - along_v * v[k];
        tangential_square += part * part;
    }
    const double radius = std::sqrt(square), tangential = std::sqrt(tangential_square);
    const double angle = rate * tangential * radius / std::sinh(radius);
    const double longer = 1.0 - rate * along_v;  // new radius / old
    const double along = std::cos(angle) * longer;
    const double across = tangential > 0.0 ? -std::sin(angle) * longer * radius / tangential : 0.0;
    for (std::size_t k = 0; k < dim; ++k)
        v[k] = along * v[k] + across * (gradient[k] - along_v * v[k]);
}

// One logit: sigma(logit) - label, and its cross entropy.
struct Term {
    double error = 0.0, loss = 0.0;

    Term() = default;

    Term(double logit, bool label) {
        const double small = std::exp(-std::fabs(logit));
        const double sigma = (logit >= 0.0 ? 1.0 : small) / (1.0 + small);
        error = label ? sigma - 1.0 : sigma;
        loss = std::log1p(small) + ((logit < 0.0) == label ? std::fabs(logit) : 0.0);
    }
};

template <std::size_t fixed>
double train_in_dimension(const SkipGramPairs& all, const std::function<void()>& watch) {
    const std::size_t dim = fixed > 0 ? fixed : all.n_dim;
    BatchGradient<fixed> input_gradient(all.n_nodes, dim), output_gradient(all.n_nodes, dim);
    double loss = 0.0;
    std::vector<Term> of_negatives(all.n_negatives);
    constexpr std::size_t most_products = 1 << 18;  // between two calls of `watch`
    std::size_t n_products = 0;
    for (std::size_t start = 0; start < all.n_pairs; start += all.batch_size) {
        const std::size_t stop = std::min(start + all.batch_size, all.n_pairs);
        for (std::size_t pair = start; pair < stop; ++pair) {
            n_products += (all.n_negatives + 1) * (dim + 1);
            if (n_products >= most_products) {
                n_products = 0;
                watch();
            }
            const double* const v = all.v_in + static_cast<std::size_t>(all.center[pair]) * dim;
            double* const gradient_in = input_gradient.at(all.center[pair]);
            const auto term = [&](std::int32_t node, bool is_context) {
                const double* const w = all.v_out + static_cast<std::size_t>(node) * dim;
                return Term(dot(v, w, dim) + all.bias[node], is_context);
            };
            const auto learn = [&](std::int32_t node, const Term& from) {
                loss += from.loss;
                const double* const w = all.v_out + static_cast<std::size_t>(node) * dim;
                double* const gradient_out = output_gradient.at(node);
                // Written as they are read later, in vectors: a vector is not taken from a store of
                // its parts that is still under way.
#pragma omp simd
                for (std::size_t k = 0; k < dim; ++k) gradient_in[k] += from.error * w[k];
#pragma omp simd
                for (std::size_t k = 0; k < dim; ++k) gradient_out[k] += from.error * v[k];
                gradient_out[dim] += from.error;
            };
            const std::int32_t context = all.context[pair];
            learn(context, term(context, true));
            const std::int32_t* const negative = all.negative + pair * all.n_negatives;
            // The next pair of a batch mostly has the same center and negatives, and nothing moves
            // within a batch: their logits are known.
            const bool known =
                pair > start && all.center[pair] == all.center[pair - 1] &&
                std::equal(negative, negative + all.n_negatives, negative - all.n_negatives);
            if (!known)
                for (std::size_t j = 0; j < all.n_negatives; ++j)
                    of_negatives[j] = term(negative[j], false);
            // A context is no negative example of itself.
            for (std::size_t j = 0; j < all.n_negatives; ++j)
                if (negative[j] != context) learn(negative[j], of_negatives[j]);
        }
        const double done = static_cast<double>(start) / static_cast<double>(all.n_pairs);
        const double rate = (all.first_rate + (all.last_rate - all.first_rate) * done) /
                            static_cast<double>(stop - start);
        input_gradient.apply_and_clear([&](std::size_t node, const double* gradient) {
            move<fixed>(all.v_in + node * dim, gradient, rate, dim);
        });
        output_gradient.apply_and_clear([&](std::size_t node, const double* gradient) {
            move<fixed>(all.v_out + node * dim, gradient, rate, dim);
            if (all.train_bias) all.bias[node] -= rate * gradient[dim];
        });
    }
    return loss;
}

}  // namespace

double train_pairs(const SkipGramPairs& all, const std::function<void()>& watch) {
    return all.n_dim == 2 ? train_in_dimension<2>(all, watch) : train_in_dimension<0>(all, watch);
}

}  // namespace hyplane
