// Long names may break between their words: Hyperbolic|Kernel|SVC, make_|hyperbolic_|gaussians, hyplane.|svm.
document.addEventListener("DOMContentLoaded", () => {
  const places = /(?<=[a-z])(?=[A-Z])|(?<=[_.])(?=[a-z])/;
  const names = ".bd-links a, .bd-article h1, .prev-next-title, .bd-sidebar-secondary .pre";
  for (const element of document.querySelectorAll(names)) {
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !/[\w.]{9}/.test(node.data)) continue;
      const parts = node.data.split(places);
      const broken = parts.flatMap((part, k) => (k ? [document.createElement("wbr"), part] : part));
      node.replaceWith(...broken);
    }
  }
});
