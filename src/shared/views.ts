// Owns the names and addresses of the interface's views, in their order. Knows nothing of what stands there.

export const VIEWS = [
  { name: 'Overview', href: '/' },
  { name: 'Requests', href: '/requests' },
  { name: 'Keys', href: '/keys' },
  { name: 'Providers', href: '/providers' },
  { name: 'Models', href: '/models' },
  { name: 'Playground', href: '/playground' },
  { name: 'Connect', href: '/connect' },
  { name: 'Estimator', href: '/estimator' },
  { name: 'Settings', href: '/settings' },
] as const

export type ViewHref = (typeof VIEWS)[number]['href']
