/** The app's icon: a gate with its bar raised. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true" className="shrink-0">
      <rect width="20" height="20" rx="4.5" className="fill-accent" />
      <path d="M3 15.6h14" stroke="white" strokeWidth="1.4" strokeLinecap="round" />
      <rect x="3.8" y="8.4" width="3.4" height="7" rx="0.8" fill="white" />
      <path d="M6.6 9.4l9-4.6" stroke="white" strokeWidth="2" strokeLinecap="round" />
      <path d="M9.2 8.1l1.9-1M13 6.1l1.9-1" stroke="#f2a93b" strokeWidth="2" />
    </svg>
  )
}
