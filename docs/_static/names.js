// Long names may break between their words: Hyperbolic|Kernel|SVC, make_|hyperbolic_|gaussians.
document.addEventListener("DOMContentLoaded", () => {
  const words = /(?<=[a-z])(?=[A-Z])|(?<=_)(?=[a-z])/;
  const modules = /(?<=[a-z])(?=[A-Z])|(?<=[._])(?=[a-z])/; // where there is little room: hyplane.|datasets
  const names = ".bd-links a, .bd-article h1, .bd-sidebar-secondary .pre";
  breakNames(names, words);
  breakNames(".prev-next-title", modules);
  breakNames(".bd-article td .pre", /(?<=\/)(?=[a-z])/); // tests/|test_files.py

  function breakNames(selector, places) {
    for (const element of document.querySelectorAll(selector)) {
      for (const node of [...element.childNodes]) {
        if (node.nodeType !== Node.TEXT_NODE || !/[\w.]{9}/.test(node.data)) continue;
        const parts = node.data.split(places);
        const broken = parts.flatMap((part, k) => (k ? [document.createElement("wbr"), part] : part));
        node.replaceWith(...broken);
      }
    }
  }
});
