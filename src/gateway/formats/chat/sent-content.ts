// What the body of a request gives the provider to read, beyond its text: one table for each API format. Sources: the API
// references of OpenAI (chat completions, completions, responses), Anthropic (messages), Google (`GenerateContentRequest`) and AWS
// (`Converse`), and for further options of these formats those of Alibaba Cloud, Azure, Cerebras, DeepSeek, Fireworks, Groq, Mistral, Moonshot,
// OpenRouter, Together, xAI, Z.ai, llama.cpp, Ollama, SGLang and vLLM, as of 2026-11.

import type { ApiFormat } from '../../../shared/api/providers.ts'
import { isObject, type JsonObject, listObjects } from '../json/json.ts'
import {
  byType,
  ContentCounter,
  forTypes,
  isFilled,
  members,
  type Read,
  type SentContent,
  whole,
} from './content-counter.ts'
import { isRunByClient, listTools } from './given-tools.ts'

/** Reads the content of a body in its format, as a client or this gateway wrote it. */
export function readSentContent(format: ApiFormat, body: JsonObject): SentContent {
  const counter = new ContentCounter()
  REQUESTS[format](body, counter)
  if (!listTools(body).every(({ tool }) => isRunByClient(tool))) counter.external = true
  return counter.content
}

const link: Read = (value, counter) => counter.link(value)
const file: Read = (value, counter) => counter.file(value)
const sound: Read = (value, counter) => counter.sound(value)
const image: Read = (value, counter) => counter.image(value)

// OpenAI's chat completions and completions.

/** Options of models that many vendors of OpenAI's formats have. */
const SAMPLING = `
  allowed_token_ids bad_words cache_prompt cache_salt dynatemp_exponent dynatemp_range frequency_penalty
  ignore_eos include_stop_str_in_output length_penalty logit_bias logprobs metadata min_p min_tokens mirostat
  mirostat_eta mirostat_lr mirostat_target mirostat_tau n parallel_tool_calls presence_penalty priority
  random_seed repeat_last_n repeat_penalty repetition_penalty request_id safety_identifier seed
  service_tier skip_special_tokens spaces_between_special_tokens stop stop_token_ids store stream
  stream_options temperature tfs_z tool_choice tools top_a top_k top_logprobs top_n_sigma top_p trace
  truncate_prompt_tokens typical_p use_beam_search user user_id verbosity xtc_probability xtc_threshold
  max_completion_tokens max_output_tokens max_tokens max_tool_calls model moderation prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning reasoning_effort reasoning_summary session_id
  text_verbosity truncation usage user_security_context`

/** An option is not listed here if it can add to the prompt: templates, stored files and agents, searches, prompts of the vendor. */
const CHAT = `${SAMPLING}
  audio best_of chat_template_kwargs clear_thinking compliance context_length_exceeded_behavior debug
  disable_reasoning disable_tool_validation do_sample drop_params echo enable_thinking format function_call
  functions grammar guided_choice guided_decoding_backend guided_grammar guided_json guided_regex
  include_reasoning incremental_output json_schema keep_alive mm_processor_kwargs modalities n_predict
  num_ctx num_predict options parse_tool_calls prediction prompt_cache_isolation_key prompt_logprobs
  prompt_truncate_len raw_output reasoning_budget reasoning_format reasoning_history reasoning_split
  response_format result_format return_token_ids return_tokens_as_token_ids safe_serialization
  separate_reasoning speculation stream_reasoning structured_outputs suffix tags think thinking
  thinking_budget thinking_config timings_per_token tool_stream transforms`

const MARKS = 'cache_control extra_content id index prompt_cache_breakpoint type'

/** Alibaba Cloud's models for documents read the files that a message consists of. */
const text: Read = (value, counter) => {
  if (typeof value === 'string' && value.trimStart().startsWith('fileid://')) counter.external = true
}

/** A URL, also without the object around it, as Mistral has it. */
const imageUrl: Read = (value, counter) =>
  isObject(value) ? members('detail format', { url: link })(value, counter) : link(value, counter)

const chatPart = byType({
  text: members(`${MARKS} annotations citations`, { text }),
  refusal: members(`${MARKS} refusal`),
  thinking: members(`${MARKS} closed signature thinking`),
  image_url: members(MARKS, { image_url: imageUrl }),
  input_audio: members(MARKS, { input_audio: members('format', { data: sound }) }),
  file: members(MARKS, { file: members('filename format', { file_data: file }) }),
})

const chatMessage = members(
  `${MARKS} annotations call_id created created_at finish_reason function_call name partial prefix reasoning
   reasoning_content reasoning_details refusal role signed_reasoning status thinking timestamp tool_call_id
   tool_calls tools`,
  {
    content: (value, counter) => (typeof value === 'string' ? text : chatPart)(value, counter),
    // Images of an earlier answer. It is not documented whether the model sees them, so their data also counts as text.
    images: (value, counter) => {
      counter.count += listObjects(value).length
    },
  },
)

/** The texts or tokens of a completion; a stored prompt is an object. */
const prompt: Read = (value, counter) => {
  if (isObject(value) || listObjects(value).length > 0) counter.external = true
}

// OpenAI's responses.

const RESPONSE = `${SAMPLING}
  access_programs background client_metadata generate image include instructions text type`

const PART = 'annotations detail logprobs prompt_cache_breakpoint type'

const responsePart = byType({
  ...forTypes('input_text output_text text summary_text reasoning_text', members(`${PART} text`)),
  refusal: members(`${PART} refusal`),
  ...forTypes('input_image computer_screenshot', members(PART, { image_url: link })),
  input_file: members(`${PART} filename`, { file_data: file }),
  input_audio: members(PART, { input_audio: members('format', { data: sound }) }),
})

/** Members of an item that are no content. */
const LABELS = 'id phase role status type'
const ITEM = `${LABELS}
  acknowledged_safety_checks action actions approval_request_id approve arguments async call_id caller
  encrypted_content end_turn error execution input max_output_length metadata name namespace operation output
  pending_safety_checks reason reasoning server_label summary text tools`

/** The provider looks for the content of an item that has none, but an id, among what it stores. */
function unlessStored(read: Read, labels = LABELS): Read {
  const findContent = members(labels)
  return (item, counter) => {
    read(item, counter)
    const others = new ContentCounter()
    findContent(item, others)
    if (isObject(item) && isFilled(item.id) && !others.external) counter.external = true
  }
}

const local = byType({ local: whole })
const item = members(ITEM, { content: responsePart, environment: local })
const outputItem = members(ITEM, {
  content: responsePart,
  output: (value, counter) => (typeof value === 'string' ? whole : responsePart)(value, counter),
})

const responseItem = byType(
  {
    ...forTypes(
      `additional_tools apply_patch_call apply_patch_call_output compaction computer_call configuration_update
       custom_tool_call function_call local_shell_call local_shell_call_output mcp_approval_request
       mcp_approval_response mcp_call mcp_list_tools message shell_call shell_call_output tool_search_call
       tool_search_output`,
      unlessStored(item),
    ),
    ...forTypes(
      'computer_call_output custom_tool_call_output function_call_output',
      unlessStored(outputItem),
    ),
    reasoning: unlessStored(item, `${LABELS} summary`),
    image_generation_call: (value, counter) => {
      const result = isObject(value) ? value.result : null
      if (isFilled(result)) counter.image(result)
      else counter.external = true
    },
  },
  ({ type, role }) => type ?? (isFilled(role) ? 'message' : 'item_reference'),
)

// Anthropic's messages.

const MESSAGES = `
  anthropic_beta anthropic_version betas billing_policy cache_control diagnostics fallback_credit_token
  inference_geo max_tokens metadata model output_config output_format service_tier speed stop_sequences
  stream temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id`

const BLOCK =
  'cache_control caller citations context is_error mcp_server_name title tool_use_id toolset_name type'

const imageSource = byType({
  base64: members('media_type type', { data: image }),
  url: members('type', { url: link }),
})

/** Blocks that are text, or have their text in the body, encrypted or not. */
const textBlock = members(`${BLOCK}
  content data encrypted_content id input name server_name signature source state_changes tabs text thinking
  tool tool_changes tool_name tools trigger from to`)

const block: Read = byType({
  ...forTypes(
    `browser_state compaction fallback mcp_tool_listing mcp_tool_use redacted_thinking search_result
     server_tool_use text thinking tool_addition tool_reference tool_removal tool_use web_search_tool_result`,
    textBlock,
  ),
  ...forTypes(
    'mcp_tool_result tool_result',
    members(BLOCK, { content: (value, counter) => block(value, counter) }),
  ),
  image: members(`${BLOCK} transformations`, { source: imageSource }),
  document: members(BLOCK, {
    source: byType({
      base64: members('media_type type', { data: file }),
      text: whole,
      content: members('media_type type', { content: (value, counter) => block(value, counter) }),
    }),
  }),
})

// Google's contents.

/** Media whose tokens their bytes bound. */
const SIZED_MEDIA = /^(text\/|audio\/(wave?|x-wav|mp3|mpeg)$)/i

const inlineData: Read = (value, counter) => {
  if (!isObject(value)) return
  const type = String(value.mimeType ?? value.mime_type)
  const data = /^image\//i.test(type) ? image : SIZED_MEDIA.test(type) ? sound : file
  members('display_name mime_type', { data })(value, counter)
}

/** Only an address that ends like an image's is one: others can be stored files, videos and web pages. */
const fileData: Read = (value, counter) => {
  if (!isObject(value)) return
  const [address = ''] = String(value.fileUri ?? value.file_uri).split(/[?#]/, 1)
  const type = String(value.mimeType ?? value.mime_type)
  if (/^https?:.*\.(gif|heic|jpe?g|png|webp)$/i.test(address) && /^image\//i.test(type)) counter.count += 1
  else counter.external = true
}

const part: Read = members(
  `audio_transcription code_execution_result executable_code function_call media_processing media_resolution
   part_metadata speech_metadata text thought thought_signature video_metadata`,
  {
    inline_data: inlineData,
    file_data: fileData,
    function_response: members('id name response scheduling will_continue', {
      parts: (value, counter) => part(value, counter),
    }),
  },
)
const content = members('role', { parts: part })

/** `routing_config` and `model_selection_config` are not among them: they choose another model. */
const GENERATION = `
  _response_json_schema audio_timestamp audio_transcription_config candidate_count enable_affective_dialog
  enable_enhanced_civic_answers frequency_penalty image_config logprobs max_output_tokens media_resolution
  presence_penalty response_format response_json_schema response_logprobs response_mime_type response_modalities
  response_schema seed speech_config stop_sequences temperature thinking_config top_k top_p`

// Amazon Bedrock's Converse, which only this gateway writes.

const data = (read: Read): Read => members('format name', { source: members('', { bytes: read }) })

const converseBlock: Read = members('cache_point reasoning_content text tool_use', {
  audio: data(sound),
  document: data(file),
  image: data(image),
  video: data(file),
  tool_result: members('tool_use_id', { content: (value, counter) => converseBlock(value, counter) }),
})

const REQUESTS: Readonly<Record<ApiFormat, Read>> = {
  'openai-chat': members(CHAT, { messages: chatMessage, prompt }),
  'openai-responses': members(RESPONSE, { input: responseItem }),
  'anthropic-messages': members(MESSAGES, {
    messages: members('clear_at output_config role', { content: block }),
    system: block,
    // A compaction reads the whole prompt in a separate call.
    context_management: members('', {
      edits: byType(forTypes('clear_thinking_20251015 clear_tool_uses_20250919', whole)),
    }),
  }),
  'gemini-generate': members(
    `labels model model_armor_config output_config safety_settings service_tier store tool_config tools
     stream sse`,
    { contents: content, system_instruction: content, generation_config: members(GENERATION) },
  ),
  'bedrock-converse': members('additional_model_request_fields inference_config output_config tool_config', {
    messages: members('role', { content: converseBlock }),
    system: converseBlock,
  }),
}
