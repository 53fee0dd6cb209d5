// A pot, drawn from its kind and two colours. Decorative unless it is given a label.
import { useId } from 'react';

// Bodies on a 200 × 200 sheet: outline, where the glaze ends, where the foot stands.
const SHAPES = {
  mug: { body: 'M58 62h74l-4 92q-1 12-12 12H74q-11 0-12-12z', extra: 'M131 80q36-4 32 28-3 28-35 30', glaze: 116, foot: 166 },
  bowl: { body: 'M30 84h140q-2 54-44 70v8H74v-8Q32 138 30 84z', glaze: 112, foot: 163 },
  vase: { body: 'M86 26h28q-4 22 2 40 34 18 34 58 0 26-22 44H72q-22-18-22-44 0-40 34-58 6-18 2-40z', glaze: 96, foot: 168 },
  jug: { body: 'M66 44q-12-2-16-10 20-4 38 2h40q-6 24 8 44 14 22 10 48-3 26-20 38H76q-17-12-20-38-4-26 8-48 10-18 2-36z', extra: 'M132 54q40-2 36 40-3 30-24 36', glaze: 120, foot: 170 },
  plate: { body: 'M14 108h172q-8 26-52 30v6H66v-6Q22 134 14 108z', glaze: 122, foot: 136 },
  planter: { body: 'M46 58h108v18h-6l-10 78H62L52 76h-6z', extra: 'M50 160h100', glaze: 100, foot: 164 },
};

export function Drawing({ pot, label }) {
  const id = useId();
  const shape = SHAPES[pot.kind];
  const wave = `M0 0H200V${shape.glaze}q-25 12-50 2t-50 0-50 4-50-6z`;
  return (
    <svg className="drawing" viewBox="0 0 200 200" role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : true}>
      <defs>
        <clipPath id={`${id}b`}><path d={shape.body} /></clipPath>
        <linearGradient id={`${id}s`}>
          <stop offset="0" stopColor="#000" stopOpacity=".28" />
          <stop offset=".35" stopColor="#fff" stopOpacity=".22" />
          <stop offset=".6" stopColor="#fff" stopOpacity="0" />
          <stop offset="1" stopColor="#000" stopOpacity=".34" />
        </linearGradient>
      </defs>
      <ellipse cx="100" cy={shape.foot} rx="70" ry="8" className="shade" />
      {shape.extra && <path d={shape.extra} fill="none" stroke={pot.kind === 'planter' ? pot.clay : pot.glaze} strokeWidth="11" strokeLinecap="round" />}
      <g clipPath={`url(#${id}b)`}>
        <rect width="200" height="200" fill={pot.clay} />
        <path d={wave} fill={pot.glaze} />
        <path d={wave} fill="none" stroke="#fff" strokeOpacity=".25" strokeWidth="2" />
        <rect width="200" height="200" fill={`url(#${id}s)`} />
      </g>
    </svg>
  );
}
