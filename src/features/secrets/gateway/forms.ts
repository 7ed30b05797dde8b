// The forms of secrets, as their vendors document them. A form has a fixed beginning and an exact length; where a vendor adds a
// checksum that can be computed, it must be right.
import { crc32 } from 'node:zlib'

export interface SecretForm {
  /** Follows "a" or "an" in a sentence. */
  kind: string
  /** Texts of at least two characters, which are `at` characters after the beginning. */
  marks: readonly string[]
  at?: number
  /** The whole secret from its beginning. */
  pattern: RegExp
  /** `around`: the text before and after. */
  isValid?(secret: string, around: () => string): boolean
}

const HEX_32 = '[a-f0-9]{32}'
const HEX_64 = '[a-f0-9]{64}'

/** A secret that no word character and no hyphen follows. */
function whole(pattern: string): RegExp {
  return new RegExp(`${pattern}(?![\\w-])`, 'y')
}

export const SECRET_FORMS: readonly SecretForm[] = [
  {
    kind: 'GitHub token',
    marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: whole('gh[pousr]_[A-Za-z0-9]{36}'),
    isValid: hasChecksum,
  },
  {
    kind: 'GitHub token',
    marks: ['ghs_'],
    pattern: whole('ghs_\\d{1,12}_eyJ[\\w-]{10,300}\\.eyJ[\\w-]{20,900}\\.[\\w-]{40,700}'),
  },
  {
    kind: 'GitHub token',
    marks: ['github_pat_'],
    pattern: whole('github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}'),
  },
  {
    kind: 'GitLab token',
    marks: ['glpat-', 'glrt-', 'gldt-', 'glft-', 'glsoat-', 'glffct-', 'glimt-', 'glptt-', 'gloas-'],
    pattern: whole(
      'gl(?:(?:pat|rt|dt|ft|soat|ffct)-[\\w-]{20}|imt-[\\w-]{25}|ptt-[a-f0-9]{40}|oas-[\\w-]{64})',
    ),
  },
  {
    kind: 'GitLab token',
    marks: ['glpat-', 'glrt-'],
    pattern: whole('gl(?:pat|rt)-[\\w-]{27,300}\\.(?:\\d\\d\\.)?[a-z0-9]{9}'),
    isValid: (token) => token.endsWith(crc32(token.slice(0, -7)).toString(36).padStart(7, '0')),
  },
  { kind: 'npm token', marks: ['npm_'], pattern: whole('npm_[A-Za-z0-9]{36}'), isValid: hasChecksum },
  { kind: 'PyPI token', marks: ['pypi-'], pattern: whole('pypi-AgEIcHlwaS5vcmc[\\w-]{50,1000}') },
  { kind: 'RubyGems key', marks: ['rubygems_'], pattern: whole('rubygems_[a-f0-9]{48}') },
  {
    kind: 'AWS access key',
    marks: ['AKIA', 'ASIA'],
    pattern: whole('A[KS]IA[A-Z2-7]{16}'),
    isValid: hasAwsSecret,
  },
  {
    kind: 'Amazon Bedrock key',
    marks: ['ABSK'],
    pattern: /ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{85,250}={0,2}(?![\w+/])/y,
  },
  { kind: 'Anthropic key', marks: ['sk-ant-'], pattern: whole('sk-ant-(?:api|admin)\\d\\d-[\\w-]{93}AA') },
  {
    kind: 'Anthropic token',
    marks: ['sk-ant-'],
    pattern: whole('sk-ant-(?:oat|ort|sid)\\d\\d-[\\w-]{60,200}'),
  },
  {
    kind: 'OpenAI key',
    marks: ['sk-'],
    pattern: whole(
      'sk-(?:(?:proj|svcacct|admin)-(?:[\\w-]{74}T3BlbkFJ[\\w-]{74}|[\\w-]{58}T3BlbkFJ[\\w-]{58})|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})',
    ),
  },
  { kind: 'OpenRouter key', marks: ['sk-or-v1-'], pattern: whole(`sk-or-v1-${HEX_64}`) },
  { kind: 'Google API key', marks: ['AIza'], pattern: whole('AIza[\\w-]{35}') },
  { kind: 'Google API key', marks: ['AQ.'], pattern: whole('AQ\\.Ab8RN6[\\w-]{44}') },
  { kind: 'Groq key', marks: ['gsk_'], pattern: whole('gsk_[A-Za-z0-9]{52}') },
  { kind: 'Perplexity key', marks: ['pplx-'], pattern: whole('pplx-[A-Za-z0-9]{48}') },
  { kind: 'xAI key', marks: ['xai-'], pattern: whole('xai-[A-Za-z0-9]{80}') },
  { kind: 'Hugging Face token', marks: ['hf_'], pattern: whole('hf_[A-Za-z0-9]{34}') },
  { kind: 'Replicate token', marks: ['r8_'], pattern: whole('r8_[A-Za-z0-9]{37}') },
  {
    kind: 'Slack token',
    marks: ['xoxb-', 'xoxp-', 'xapp-'],
    pattern: whole(
      '(?:xoxb-\\d{10,13}-\\d{10,13}-[A-Za-z0-9]{24}|xoxp(?:-\\d{10,13}){3}-[a-f0-9]{32}|xapp-\\d-[A-Z0-9]{9,13}-\\d{10,13}-[a-f0-9]{64})',
    ),
  },
  {
    kind: 'Stripe live key',
    marks: ['sk_live_', 'rk_live_'],
    pattern: whole('[sr]k_live_[A-Za-z0-9]{24,247}'),
  },
  { kind: 'Twilio key', marks: ['SK'], pattern: whole(`SK${HEX_32}`) },
  { kind: 'SendGrid key', marks: ['SG.'], pattern: whole('SG\\.[\\w-]{22}\\.[\\w-]{43}') },
  { kind: 'Azure client secret', marks: ['Q~'], at: 4, pattern: whole('[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}') },
  {
    kind: 'Azure key',
    marks: ['JQQJ9'],
    at: 52,
    pattern: whole('[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}'),
  },
  { kind: 'DigitalOcean token', marks: ['dop_', 'doo_', 'dor_'], pattern: whole(`do[por]_v1_${HEX_64}`) },
  {
    kind: 'Doppler token',
    marks: ['dp.'],
    pattern: whole('dp\\.(?:pt|ct|sa|scim|audit|st\\.[\\w-]{2,35})\\.[A-Za-z0-9]{43}'),
  },
  {
    kind: 'Shopify token',
    marks: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: whole('shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  },
  { kind: 'Databricks token', marks: ['dapi'], pattern: whole(`dapi${HEX_32}(?:-\\d)?`) },
  { kind: 'Linear key', marks: ['lin_api_'], pattern: whole('lin_api_[A-Za-z0-9]{40}') },
  { kind: 'Notion token', marks: ['ntn_'], pattern: whole('ntn_\\d{11}[A-Za-z0-9]{35}') },
  { kind: 'Postman key', marks: ['PMAK-'], pattern: whole('PMAK-[a-f0-9]{24}-[a-f0-9]{34}') },
  { kind: 'Pulumi token', marks: ['pul-'], pattern: whole('pul-[a-f0-9]{40}') },
  { kind: 'Sentry token', marks: ['sntryu_'], pattern: whole(`sntryu_${HEX_64}`) },
  { kind: 'Supabase token', marks: ['sbp_'], pattern: whole('sbp_(?:oauth_)?[a-f0-9]{40}') },
  { kind: 'Vault token', marks: ['hvs.'], pattern: whole('hvs\\.[\\w-]{90,120}') },
  // 256 bits in base64url, of which the last character has four.
  { kind: 'Tollgate key', marks: ['tg-'], pattern: whole('tg-[\\w-]{42}[AEIMQUYcgkosw048]') },
]

/** Forms that begin with a fixed text and have other characters than words: native searches find them. */
export const SECRET_BLOCKS: readonly SecretForm[] = [
  {
    kind: 'private key',
    marks: ['-----BEGIN '],
    // Encrypted ones have another name, or a header. The first characters of a key are enough to know it by.
    pattern:
      /-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH|PGP) )?PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|[\s"'+,])*(?:(?:Version|Comment): [^\\\r\n]*(?:\\+[nr]|[\r\n])+)*[A-Za-z0-9+/]{40}/y,
  },
  {
    kind: 'Azure storage key',
    marks: ['AccountKey='],
    pattern: /AccountKey=[A-Za-z0-9+/]{86}==/y,
  },
]

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The checksum of GitHub and npm: the CRC-32 of 30 random characters, as six digits in base 62. */
function hasChecksum(token: string): boolean {
  return token.endsWith(computeChecksum(token.slice(4, -6)))
}

export function computeChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < 6) {
    digits = `${BASE_62.charAt(rest % 62)}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** The id of an access key is no secret, but the 40 characters near it are. */
function hasAwsSecret(id: string, around: () => string): boolean {
  if (id.endsWith('EXAMPLE')) return false
  const words = around()
    .replaceAll(/\\+[nrt"]/g, ' ')
    .match(/(?<![\w+/])[A-Za-z0-9+/]{40}(?![\w+/=])/g)
  return words?.some((word) => /[a-z]/.test(word) && /[A-Z]/.test(word)) ?? false
}
