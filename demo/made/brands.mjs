// The brands that made-up answers name: the demo's own and its rivals, all invented, with addresses that cannot exist. Data of answers.mjs.

export const SITE = 'https://demo.glasshouse.test';
export const OWN = 'Saltmarsh Pottery';

/** Rivals, with how likely an answer names them (0 to 1). The brand profile of the demo has the tracked ones; the others are there to be found. */
export const RIVALS = [
  { name: 'Fernmoor Ceramics', site: 'https://fernmoor-ceramics.example', strength: 0.72, isTracked: true },
  { name: 'Tallow Lane Pottery', site: 'https://tallowlane.example', strength: 0.58, isTracked: true },
  { name: 'Ninth Kiln', site: 'https://ninthkiln.example', strength: 0.46, isTracked: true },
  { name: 'Brackwater Clay', site: 'https://brackwater-clay.example', strength: 0.34, isTracked: false },
];

/** The brand profile, as `PUT /api/domains/:domain/brand` takes it. */
export const PROFILE = {
  name: OWN,
  aliases: ['Saltmarsh'],
  // The second one too: lists of sources by domain have registrable domains.
  domains: [new URL(SITE).hostname, 'glasshouse.test'],
  competitors: RIVALS.filter(({ isTracked }) => isTracked).map(({ name, site }) => ({ name, domains: [new URL(site).hostname], status: 'tracked' })),
};

/** Sentences about rivals; {thing} is what was asked for. */
export const RIVAL_LINES = {
  'Fernmoor Ceramics': [
    'the widest choice of {thing}, excellent stock and fast delivery, though much of it is slip-cast.',
    'a larger studio whose {thing} are consistent and easy to reorder.',
    'popular for {thing}; prices are reasonable and returns are simple.',
  ],
  'Tallow Lane Pottery': [
    'quiet, well-made {thing} in three glazes, with a waiting list of about a month.',
    'a two-person workshop; reviewers praise the weight of its {thing}.',
    'lovely {thing}, but expensive, and the site rarely says what is in stock.',
  ],
  'Ninth Kiln': [
    'a cooperative that sells {thing} by nine makers, so quality varies.',
    'good if you want to compare several makers of {thing} in one place.',
  ],
  'Brackwater Clay': ['a newer name for {thing}, mostly sold at markets.', 'small runs of {thing}; follow its newsletter for kiln openings.'],
};

/** Pages that answers find and cite besides those of the brands. */
export const GUIDES = {
  mugs: [['https://tablegood.example/guides/handmade-mugs', 'Handmade mugs: eleven makers we went back to'], ['https://slowhouse.example/kitchen/stoneware', 'Stoneware for every day']],
  bowls: [['https://tablegood.example/guides/breakfast-bowls', 'Breakfast bowls that survive a dishwasher'], ['https://porridgeclub.example/bowls', 'What we eat from']],
  jugs: [['https://tablegood.example/guides/jugs', 'Jugs that do not drip, tested'], ['https://slowhouse.example/kitchen/jugs', 'A jug for the table']],
  classes: [['https://coastguide.example/marram/things-to-do', 'Marram in a weekend'], ['https://makersmap.example/pottery-classes', 'Pottery classes by the sea']],
  craft: [['https://kilnnotes.example/foot-rings', 'Foot rings, explained'], ['https://claybook.example/glaze/vitrification', 'When clay turns to stone']],
  gifts: [['https://giftledger.example/weddings/pottery', 'Wedding presents that are not a toaster'], ['https://coastguide.example/marram/shops', 'Small shops of Marram']],
};
