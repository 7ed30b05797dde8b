/** The views of the window in the order of its navigation. */
export const VIEWS = [
  { name: 'Overview', href: '/' },
  { name: 'Requests', href: '/requests' },
  { name: 'Usage', href: '/usage' },
  { name: 'Keys', href: '/keys' },
  { name: 'Providers', href: '/providers' },
  { name: 'Models', href: '/models' },
  { name: 'Playground', href: '/playground' },
  { name: 'Connect', href: '/connect' },
  { name: 'Estimator', href: '/estimator' },
  { name: 'Settings', href: '/settings' },
] as const

export type ViewHref = (typeof VIEWS)[number]['href']
