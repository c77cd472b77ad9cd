// Points and edges on WebGL. Positions come in pixels, computed in doubles: the graphics card only
// draws.

const POINT_VERTEX = `
attribute vec3 place;
attribute vec4 style;
uniform vec2 screen;
uniform float ratio;
varying vec3 color;
varying float shape;
varying float size;
void main() {
  gl_Position = vec4(2.0 * place.x / screen.x - 1.0, 1.0 - 2.0 * place.y / screen.y, 0.0, 1.0);
  size = place.z * ratio;
  gl_PointSize = size + 2.0;
  color = style.rgb;
  shape = floor(style.a * 255.0 + 0.5);
}`;

// Signed distances to the shapes of the classes, in units of the point's half width.
const POINT_FRAGMENT = `
precision mediump float;
varying vec3 color;
varying float shape;
varying float size;
uniform float alpha;
uniform float plain;
float outside(vec2 p) {
  vec2 m = abs(p);
  if (shape < 0.5) return length(p) - 0.94;
  if (shape < 1.5) return max(m.x, m.y) - 0.8;
  if (shape < 2.5) return max(0.87 * m.x + 0.5 * -p.y - 0.5, p.y - 0.75);
  if (shape < 3.5) return 0.75 * (m.x + m.y - 1.0);
  if (shape < 4.5) return max(0.87 * m.x + 0.5 * p.y - 0.5, -p.y - 0.75);
  if (shape < 5.5) return max(min(m.x, m.y) - 0.33, max(m.x, m.y) - 0.95);
  if (shape < 6.5) {
    vec2 d = vec2(m.x + m.y, abs(m.x - m.y)) * 0.7071;
    return max(min(d.x, d.y) - 0.3, max(d.x, d.y) - 0.95);
  }
  float angle = mod(atan(p.x, -p.y) + 0.6283, 1.2566) - 0.6283;
  return length(p) * cos(angle) - mix(0.95, 0.42, abs(angle) / 0.6283) * cos(angle);
}
void main() {
  if (plain > 0.5) {
    gl_FragColor = vec4(color * alpha, alpha);
    return;
  }
  float half_width = 0.5 * size;
  vec2 p = (gl_PointCoord - 0.5) * (size + 2.0) / half_width;
  float d = outside(p) * half_width;
  float cover = clamp(0.5 - d, 0.0, 1.0) * alpha;
  float inner = clamp(-d - 0.35, 0.0, 1.0);
  gl_FragColor = vec4(mix(color * 0.55, color, inner) * cover, cover);
}`;

const LINE_VERTEX = `
attribute vec2 place;
uniform vec2 screen;
void main() {
  gl_Position = vec4(2.0 * place.x / screen.x - 1.0, 1.0 - 2.0 * place.y / screen.y, 0.0, 1.0);
}`;

const LINE_FRAGMENT = `
precision mediump float;
uniform vec4 color;
void main() { gl_FragColor = vec4(color.rgb * color.a, color.a); }`;

function program(gl, vertex, fragment) {
  const linked = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(linked, shader);
  }
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(linked));
  return linked;
}

export class GLRenderer {
  // Smooth edges cost software much; points are smooth without.
  static make(canvas, antialias) {
    const settings = { alpha: true, antialias, premultipliedAlpha: true };
    try {
      const gl = canvas.getContext("webgl2", settings) ?? canvas.getContext("webgl", settings);
      return gl === null ? null : new GLRenderer(canvas, gl);
    } catch {
      return null;
    }
  }

  constructor(canvas, gl) {
    this.canvas = canvas;
    this.gl = gl;
    this.name = typeof WebGL2RenderingContext !== "undefined" && gl instanceof WebGL2RenderingContext
      ? "WebGL 2" : "WebGL 1";
    this.points = program(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.places = gl.createBuffer();
    this.styles = gl.createBuffer();
    this.segments = gl.createBuffer();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // Colour (three bytes) and shape (one byte) of each point.
  setStyles(styles) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.styles);
    gl.bufferData(gl.ARRAY_BUFFER, styles, gl.STATIC_DRAW);
  }

  draw({ width, height, ratio, places, count, alpha, plain, segments, nSegments, edgeColor }) {
    const { gl } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (nSegments > 0) this.drawLines(width, height, segments, nSegments, edgeColor);
    gl.useProgram(this.points);
    gl.uniform2f(gl.getUniformLocation(this.points, "screen"), width, height);
    gl.uniform1f(gl.getUniformLocation(this.points, "ratio"), ratio);
    gl.uniform1f(gl.getUniformLocation(this.points, "alpha"), alpha);
    gl.uniform1f(gl.getUniformLocation(this.points, "plain"), plain ? 1 : 0);
    this.attribute(this.points, "place", this.places, 3, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    this.attribute(this.points, "style", this.styles, 4, gl.UNSIGNED_BYTE);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  drawLines(width, height, segments, count, color) {
    const { gl } = this;
    gl.useProgram(this.lines);
    gl.uniform2f(gl.getUniformLocation(this.lines, "screen"), width, height);
    gl.uniform4f(gl.getUniformLocation(this.lines, "color"), ...color);
    this.attribute(this.lines, "place", this.segments, 2, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, segments.subarray(0, count), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.LINES, 0, count / 2);
  }

  // Until everything is drawn: reading a pixel has to wait for it.
  wait() {
    const { gl } = this;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  attribute(owner, name, buffer, size, type) {
    const { gl } = this;
    const place = gl.getAttribLocation(owner, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
  }
}
