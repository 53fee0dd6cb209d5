// Numbers and dates as the shop writes them: British English, the workshop's own time zone, the same for every visitor.

export const price = (pounds) => new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 }).format(pounds);

export const day = (iso) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'Europe/London' }).format(new Date(iso));

export const kinds = { mug: 'Mugs', bowl: 'Bowls', vase: 'Vases', jug: 'Jugs', plate: 'Plates', planter: 'Planters' };
