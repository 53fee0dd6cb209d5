// Word from a change of route to the screen that it leads to.

export const arrival = {
  /** The heading is painted before what stands below it: whoever pressed a link sees at once that something happened. */
  isHeadingFirst: false,
};
