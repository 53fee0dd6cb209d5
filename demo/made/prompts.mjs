// The six prompts of the demo, with what assistants may say of the shop to each. Data of answers.mjs and of seed.mjs.

/**
 * text: the question. thing: what rivals are praised for. pages: the shop's pages that an answer may cite. own: sentences about the shop, the best
 * first; the last one has a reservation. fit: how well the shop fits the question (added to its strength). know: an answer explains before it names.
 */
export const PROMPTS = [
  {
    text: 'Where can I buy handmade stoneware mugs online?', intent: 'trans', tags: 'mugs', thing: 'mugs', guides: 'mugs', fit: 0.1,
    pages: [['/pots/tide-mug', 'Tide mug · Saltmarsh Pottery'], ['/pots', 'Pots · Saltmarsh Pottery']],
    own: [
      'its tide mug is an excellent everyday mug: thrown by hand, with a pulled handle that three fingers fit.',
      'a small workshop in Marram that sells its mugs directly and says how many are in stock.',
      'beautiful mugs, but shipping is slow because every kiln load sells out.',
    ],
    intro: ['A few workshops sell handmade stoneware mugs directly:', 'These makers come up most often for handmade mugs:', 'If you want mugs that were thrown rather than cast, look at these:'],
  },
  {
    text: 'Which small potteries make breakfast bowls that are safe in the dishwasher?', intent: 'comm', tags: 'bowls', thing: 'bowls', guides: 'bowls', fit: 0,
    pages: [['/pots/breakfast-bowl', 'Breakfast bowl · Saltmarsh Pottery']],
    own: [
      'the breakfast bowl is its oldest shape and widely recommended: deep, stable and easy to clean.',
      'tin-glazed bowls with a wide foot that does not slide.',
      'charming bowls, but it is unclear from the page whether the rim survives a dishwasher.',
    ],
    intro: ['Small potteries that state dishwasher use for their bowls:', 'For bowls that can go into the machine, these are worth a look:', 'Stoneware and tin-glazed bowls are usually fine; these makers sell them:'],
  },
  {
    text: 'What is the best handmade water jug that pours without dripping?', intent: 'comm', tags: 'jugs', thing: 'jugs', guides: 'jugs', fit: 0.22,
    pages: [['/pots/quay-jug', 'Quay jug · Saltmarsh Pottery']],
    own: [
      'its water jug is the best choice here: each lip is cut, pulled and tested, and it pours without a drip.',
      'its water jug holds 1.2 litres and is tested for dripping before it is sold.',
      'its water jug pours well, although at £58 it is expensive.',
    ],
    intro: ['Dripping is a matter of the lip. Jugs that reviewers found clean:', 'The jugs most often recommended for a clean pour:', 'Look for a sharp, pulled lip. Good examples:'],
  },
  {
    text: 'Which pottery on the coast offers a wheel class for beginners?', intent: 'trans', tags: 'classes', thing: 'classes', guides: 'classes', fit: 0.16,
    pages: [['/classes', 'Classes at the wheel · Saltmarsh Pottery']],
    own: [
      'Your first bowl is a friendly three-hour class for six people, with clay, firing and an apron included; highly recommended for beginners.',
      'a Saturday morning class at the wheel for £55, no experience needed.',
      'good classes, but they are booked out for weeks and only run on Saturdays.',
    ],
    intro: ['These workshops by the sea teach beginners at the wheel:', 'Beginner classes on the coast, with places this season:', 'For a first try at the wheel:'],
  },
  {
    text: 'Why do some potters leave the foot of a mug unglazed?', intent: 'info', tags: 'craft,journal', thing: 'pots', guides: 'craft', fit: -0.12,
    pages: [['/journal/why-the-foot-is-bare', 'Why the foot is bare · Saltmarsh Pottery']],
    own: [
      'explains it very clearly in its journal: a pot that stands in liquid glass stands there for good.',
      'shows in its journal what a bare foot says about clay and firing.',
      'has a short note on it, which leaves out how the foot is waxed.',
    ],
    know: [
      'Glaze is a glass. At the heat of a kiln it melts, and a glazed foot would fuse with the shelf, so potters wipe or wax it before firing.',
      'The bare ring also shows the clay and lets you feel whether it has vitrified: then it holds water without glaze.',
    ],
    intro: ['Makers who write about it:', 'Further reading from workshops:', 'Some studios explain their own practice:'],
  },
  {
    text: 'Is Saltmarsh Pottery a good place to buy a wedding present?', intent: 'comm', tags: 'brand,gifts', thing: 'presents', guides: 'gifts', fit: 1,
    pages: [['/pots/serving-bowl', 'Serving bowl · Saltmarsh Pottery'], ['/pots/heron-vase', 'Heron vase · Saltmarsh Pottery']],
    own: [
      'yes, it is a lovely place for one: the serving bowl is impressive, and every vase is tested overnight before it is sold.',
      'its serving bowl and its tall vase are the usual presents, at £72 and £84.',
      'it can be, but stock is small and there is no gift wrapping, so order early.',
    ],
    intro: ['In short:', 'What people say about it:', 'It depends on how soon the wedding is:'],
  },
];
