"use strict";
{
  const table = JSON.parse(document.getElementById("table").textContent);
  const sliders = Object.fromEntries(
    Object.keys(table.show).map((name) => [name, document.getElementById(name)]),
  );
  const put = (name, text) => {
    for (const place of document.querySelectorAll(`[data-shows="${name}"]`)) place.textContent = text;
  };
  const show = () => {
    for (const [name, slider] of Object.entries(sliders)) {
      const at = Number(slider.value);
      for (const [shown, texts] of Object.entries(table.show[name])) put(shown, texts[at]);
      for (const [mark, places] of Object.entries(table.move[name] ?? {})) {
        const [left, top] = places[at];
        document.getElementById(`${mark}-mark`).setAttribute("transform", `translate(${left} ${top})`);
      }
      slider.setAttribute("aria-valuetext", table.show[name][name][at]);
    }
    const row = Number(sliders.rate.value);
    const column = Number(sliders.belief.value);
    for (const [shown, rows] of Object.entries(table.both)) put(shown, rows[row][column]);
  };
  for (const slider of Object.values(sliders)) slider.addEventListener("input", show);
  document.documentElement.classList.add("live");
  show();
}
