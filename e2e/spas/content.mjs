// What the apps show: a small magazine and shop about growing things under glass. Real sentences, the same on every run.
// Used by origin.mjs only; the apps get it over HTTP, WebSocket and event streams.

export const articles = [
  ['first-frost', 'What the first frost teaches you', 'Ines Okafor', '2026-01-12', [
    'The first frost always arrives a week before the almanac says it will. By nine in the evening the panes are fogged, and by midnight the thermometer beside the door has stopped pretending.',
    'We learned to keep a kettle on the bench and a roll of fleece under it. Lettuce forgives almost anything, basil forgives nothing, and the lemon tree only wants to be told that morning is coming.',
    'Write down the hour at which the glass freezes from the inside. After three winters the notebook knows more than the forecast does.',
  ]],
  ['quiet-fans', 'Choosing fans that nobody hears', 'Tomasz Lind', '2026-02-03', [
    'A fan that runs all summer should be heard by the plants and by no one else. Larger blades that turn slowly move the same air with a third of the noise.',
    'Mount it high at the gable, pull rather than push, and give it a shaded intake. The temperature under the ridge falls by four degrees before the motor is warm.',
    'If you can read the label on the blade while it spins, the speed is about right.',
  ]],
  ['seed-library', 'A library that lends seeds', 'Marguerite Vane', '2026-02-21', [
    'In the corner of the town library stands a card cabinet that nobody had opened since the catalogue went online. Now every drawer holds envelopes of beans, marigolds and old tomatoes.',
    'Borrowers take a packet in March and bring back two in October. The overdue fine is a jar of chutney, and it is always paid.',
  ]],
  ['glass-or-film', 'Glass or film: a sober comparison', 'Tomasz Lind', '2026-03-08', [
    'Glass lasts fifty years and breaks in one afternoon. Film lasts five years and never surprises you.',
    'Light decides. Under old film the tomatoes ripened nine days later than under clean glass, and the difference was larger than the one between varieties.',
    'Count the price per square metre and season, not per roll, and the two come closer than either seller admits.',
  ]],
  ['night-pollinators', 'Who pollinates after dark', 'Ines Okafor', '2026-03-30', [
    'Leave one window open on a warm night and moths will find the tobacco flowers within minutes. They work without the hurry of bees and they miss very little.',
    'A lamp outside the door pulls them away again, so we took ours down. The moonflowers set seed for the first time in that house.',
  ]],
  ['rain-arithmetic', 'The arithmetic of rain', 'Marguerite Vane', '2026-04-17', [
    'One millimetre of rain on one square metre of roof is one litre. The rest is plumbing.',
    'A house of twenty square metres in a town with seven hundred millimetres a year can collect fourteen thousand litres, and it will need them all between June and August.',
    'Buy the second tank before you need it. Everyone who owns one tank says so.',
  ]],
].map(([id, title, author, date, paragraphs]) => ({ id, title, author, date, summary: paragraphs[0].split('. ')[0] + '.', paragraphs, image: `/pictures/${id}.jpg` }));

export const products = [
  ['trowel', 'Narrow trowel', 18.5, 'Tools', 'A blade the width of two fingers, for lifting seedlings without waking their neighbours.'],
  ['thermometer', 'Minimum and maximum thermometer', 24, 'Instruments', 'Remembers the coldest and the warmest moment since you last looked at it.'],
  ['fleece', 'Winter fleece, ten metres', 31.9, 'Protection', 'Lets light and rain through and keeps three degrees of frost outside.'],
  ['can', 'Long-necked watering can', 42, 'Watering', 'Holds five litres and reaches the back of the bench without a stretch.'],
  ['labels', 'Slate plant labels', 12.75, 'Tools', 'Twenty labels that survive rain, frost and a second year of use.'],
  ['vent', 'Automatic roof vent opener', 58, 'Ventilation', 'A cylinder of wax expands in the sun and lifts the window; there is nothing to plug in.'],
  ['tray', 'Deep seed tray', 9.2, 'Sowing', 'Sixty cells with room for a real root before the plant is moved.'],
  ['lamp', 'Grow lamp for dark months', 76.4, 'Light', 'Twelve hours a day replace the October sun for a shelf of salad.'],
].map(([id, name, price, group, text]) => ({ id, name, price, group, text, image: `/pictures/${id}.jpg`, stock: (name.length * 7) % 23 }));

export const harvest = [
  { month: 'April', salad: 12, tomato: 0, herbs: 6 }, { month: 'May', salad: 19, tomato: 2, herbs: 9 }, { month: 'June', salad: 22, tomato: 11, herbs: 14 },
  { month: 'July', salad: 15, tomato: 27, herbs: 16 }, { month: 'August', salad: 11, tomato: 34, herbs: 15 }, { month: 'September', salad: 14, tomato: 21, herbs: 10 },
];

export const messages = {
  en: { title: 'Opening hours of the palm house', lead: 'The palm house is open every day except Monday.', hours: 'From nine in the morning until six in the evening.', ticket: 'Children under twelve come in for free.', map: 'How to find us' },
  de: { title: 'Öffnungszeiten des Palmenhauses', lead: 'Das Palmenhaus ist täglich außer montags geöffnet.', hours: 'Von neun Uhr morgens bis sechs Uhr abends.', ticket: 'Kinder unter zwölf Jahren haben freien Eintritt.', map: 'So finden Sie uns' },
  ar: { title: 'ساعات عمل بيت النخيل', lead: 'بيت النخيل مفتوح كل يوم ما عدا الاثنين.', hours: 'من التاسعة صباحا حتى السادسة مساء.', ticket: 'الدخول مجاني للأطفال دون الثانية عشرة.', map: 'كيف تصل إلينا' },
  ja: { title: '温室の開館時間', lead: '温室は月曜日を除く毎日開いています。', hours: '午前九時から午後六時まで。', ticket: '十二歳未満の子どもは無料です。', map: '交通案内' },
};
