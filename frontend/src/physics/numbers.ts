/** Numbers of the racing world that the page needs before `kernel.json` is there; a kernel with others is refused. */

export const TICKS_PER_SECOND = 60;
export const TOP_SPEED_UPS = 160;
