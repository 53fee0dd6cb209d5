// The frame of every page of the example.
export const metadata = { title: 'The shell' };

export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
