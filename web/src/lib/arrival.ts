// What a change of route tells the screen that it leads to.

export const arrival = {
  /** The heading is painted before what stands below it: whoever pressed a link sees at once that something happened. */
  isHeadingFirst: false,
};
