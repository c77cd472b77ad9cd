// What the reader has to know about the picture, in words.

const RIM_RADIUS = 36; // beyond it tanh(r / 2) is 1 in doubles

export function notesFor(explorer) {
  const { data, fit } = explorer;
  const notes = [];
  const said = fit === null ? data.note : fit.note;
  if (said) notes.push(said);
  if (fit !== null && fit.texture !== null) {
    const { nRadius, nAngle, maxRadius } = fit.texture;
    notes.push(
      `Regions come from predictions at ${nRadius} radii × ${nAngle} angles about the ${data.centre}, up to ` +
        `distance ${(maxRadius * data.unit).toFixed(1)}.`,
    );
  }
  let far = 0;
  for (const r of (fit?.places ?? data.places).radius) if (r > RIM_RADIUS) far += 1;
  if (far > 0) {
    notes.push(
      `${far} ${far === 1 ? "point lies" : "points lie"} farther out than radius ${RIM_RADIUS} (at ` +
        "curvature −1) and always appear on the rim.",
    );
  }
  return notes;
}
