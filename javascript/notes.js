// What the reader has to know about the picture, in words.

const RIM_RADIUS = 36; // beyond it tanh(r / 2) is 1 in doubles

export function notesFor(explorer) {
  const { data, fit } = explorer;
  const notes = [];
  if (!data.planar) notes.push(projectionNote(explorer));
  if (fit !== null && fit.texture !== null) {
    const { nRadius, nAngle, maxRadius } = fit.texture;
    notes.push(
      `Regions come from predictions at ${nRadius} radii × ${nAngle} angles about the origin, up to ` +
        `distance ${(maxRadius * data.unit).toFixed(1)}.`,
    );
  }
  let far = 0;
  for (const r of data.radius) if (r > RIM_RADIUS) far += 1;
  if (far > 0) {
    notes.push(
      `${far} ${far === 1 ? "point lies" : "points lie"} farther out than radius ${RIM_RADIUS} (at ` +
        "curvature −1) and always appear on the rim.",
    );
  }
  return notes;
}

function projectionNote({ data, fit, chosen }) {
  const begin = `Points of dimension ${data.dim}, projected orthogonally onto a plane through the origin`;
  if (fit === null || fit.nPlanes === 0) {
    return `${begin}: the one along the two principal directions of the log map. Distances shrink.`;
  }
  return (
    `${begin}: the one along the normal of the hyperplane “${fit.plane_names[chosen]}” and the ` +
    "direction of largest spread beside it. The sides of this hyperplane are kept, distances shrink. " +
    "Regions and other hyperplanes are shown where they cut this plane."
  );
}
