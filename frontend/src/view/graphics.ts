/** Whether this browser draws WebGL with a graphics card, or only pretends to. */

const BY_PROCESSOR = /swiftshader|llvmpipe|softpipe|software|basic render|mesa offscreen/i;

/** WebGL done by the processor costs several times what a plain canvas costs: then the canvas is the better choice. */
export function hasGraphicsCard(): boolean {
  const gl = document.createElement('canvas').getContext('webgl', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !BY_PROCESSOR.test(name);
}
