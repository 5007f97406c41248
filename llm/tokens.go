package llm

import (
	"strings"
	"unicode/utf8"
)

// Tokens that providers add around the parts of a request.
const (
	requestTokens = 8   // the marks of the beginning and of the reply
	messageTokens = 6   // the role of a message and the marks around it
	callTokens    = 12  // the JSON around a tool call
	toolTokens    = 16  // the JSON around a tool
	toolsTokens   = 350 // the provider's instructions on how to call tools
	formatTokens  = 16  // the JSON around a schema

	imageTokens = 4800 // a large image
	fileTokens  = 3000 // a page of a document, as text and as an image
)

// EstimateTokens estimates how many tokens req sends. The estimate is the same
// for every model and rather too high than too low: see [EstimateTextTokens]. It
// takes a few nanoseconds per byte and does not allocate.
//
// An image counts as a large one, 4,800 tokens. A document counts 3,000 tokens
// and one for every 8 bytes, which is too low for some and far too high for
// scanned pages.
func EstimateTokens(req *Request) int {
	tokens, text := requestTokens, 0
	for i := range req.Messages {
		m := &req.Messages[i]
		tokens += messageTokens
		text += eighths(m.Content) + eighths(m.ToolCallID)
		for j := range m.Parts {
			text += m.Parts[j].eighths()
		}
		for j := range m.ToolCalls {
			call := &m.ToolCalls[j]
			tokens += callTokens
			text += eighths(call.ID) + eighths(call.Name) + eighths(call.Arguments)
		}
	}
	if len(req.Tools) > 0 {
		tokens += toolsTokens
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		tokens += toolTokens
		text += eighths(t.Name) + eighths(t.Description) + eighths(t.InputSchema)
	}
	if f := req.Format; f != nil {
		tokens += formatTokens
		if f.Mode == SchemaMode {
			text += eighths(f.Name) + eighths(f.Schema)
		}
	}
	return tokens + roundUp(text)
}

// EstimateTextTokens estimates how many tokens a text has. For each kind of
// text it assumes the tokenizer that needs the most tokens: a digit is one
// token, and so is nearly every letter of Greek, Hebrew and Thai. The estimate
// is
//
//   - about 50 % too high for English prose, code and SQL,
//   - close for numbers and base64,
//   - several times too high for languages that only newer tokenizers support
//     well,
//   - possibly too low for a text of a few words, or of random symbols.
func EstimateTextTokens(text string) int { return roundUp(eighths(text)) }

func roundUp(eighths int) int { return (eighths + token - 1) / token }

// token is the cost of one token. Costs are counted in eighths of a token.
const token = 8

// A class is the kind of a byte, which decides how it is counted.
type class uint8

const (
	small   class = iota // a to z
	capital              // A to Z
	digit
	space
	control // line breaks, tabs
	sign    // the rest of ASCII
	latin   // the first of the two bytes of a Latin letter outside of ASCII
	other
)

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z':
			c[b] = small
		case 'A' <= b && b <= 'Z':
			c[b] = capital
		case '0' <= b && b <= '9':
			c[b] = digit
		case b == ' ':
			c[b] = space
		case b < ' ' || b == 0x7f:
			c[b] = control
		case b < utf8.RuneSelf:
			c[b] = sign
		case 0xc3 <= b && b <= 0xc9: // U+00C0 to U+024F, and the signs × and ÷
			c[b] = latin
		default:
			c[b] = other
		}
	}
	return c
}()

// eighths returns the estimate for p in eighths of a token.
func (p *Part) eighths() int {
	switch p.Type {
	case PartText:
		return eighths(p.Text)
	case PartImage:
		return imageTokens * token
	case PartFile:
		if strings.HasPrefix(p.MediaType, "text/") && len(p.Data) > 0 {
			return eighths(p.Data) + eighths(p.Name)
		}
		return fileTokens*token + len(p.Data) + eighths(p.Name)
	}
	return len(p.Data) * token / 4
}

// eighths returns the estimate for text in eighths of a token.
func eighths[T string | ~[]byte](text T) int {
	total := 0
	for i := 0; i < len(text); {
		before := space
		if i > 0 {
			before = classes[text[i-1]]
		}
		var n, cost int
		switch classes[text[i]] {
		case small, capital, latin:
			n, cost = word(text[i:], before <= digit)
		case digit:
			n, cost = 1, token
		case space:
			n = same(text[i:])
			if n > 1 || i+1 == len(text) || classes[text[i+1]] == digit || classes[text[i+1]] == control {
				cost = token + n/2
			}
		case control:
			n = same(text[i:])
			cost = token + n - 1
		case sign:
			n = same(text[i:])
			cost = 2 * (n + 2)
			switch before {
			case digit, space:
				cost += 2
			case sign:
				cost--
			}
		default:
			n, cost = character(text[i:])
		}
		i += n
		total += cost
	}
	return total
}

// word returns the length and the cost of the word at the beginning of text. A
// word is capitals followed by small letters, so camelCase is two words. inside
// reports whether a letter or a digit precedes it: a part of a longer string is
// rarely one token.
func word[T string | ~[]byte](text T, inside bool) (n, cost int) {
	for n < len(text) && classes[text[n]] == capital {
		n++
	}
	capitals, letters := n, n
	cost = token
loop:
	for n < len(text) {
		switch classes[text[n]] {
		case small:
			n++
		case latin:
			n += 2
			cost += token * 5 / 4 // most tokenizers split a word there
		default:
			break loop
		}
		letters++
	}
	if inside {
		cost += token / 2
	}
	if capitals > 1 {
		letters -= capitals
		if inside {
			cost += (capitals - 1) * 6
		} else {
			cost += (capitals - 2) * 4
		}
	}
	if letters > 4 {
		cost += (letters - 4) * token / 2
	}
	return min(n, len(text)), cost
}

// same returns how many bytes at the beginning of text are equal.
func same[T string | ~[]byte](text T) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

// scripts have the cost of a character up to the first one of the next script: that of the
// tokenizer that needs the most tokens for it.
var scripts = []struct {
	below rune
	cost  int
}{
	{0xc0, token},           // signs
	{0x3ac, 2 * token},      // Greek capitals, and what few texts have
	{0x400, token * 5 / 4},  // Greek
	{0x430, token * 9 / 8},  // Cyrillic capitals
	{0x450, token * 5 / 8},  // Cyrillic, as in Russian
	{0x530, token * 3 / 2},  // Cyrillic, as in Ukrainian
	{0x590, token * 9 / 4},  // Armenian
	{0x600, token * 5 / 4},  // Hebrew
	{0x780, token},          // Arabic
	{0x900, 2 * token},      //
	{0xe00, token * 13 / 8}, // the scripts of India
	{0xe80, token},          // Thai
	{0x1e00, 3 * token},     // no tokenizer needs more tokens than bytes
	{0x1f00, token * 3 / 2}, // Vietnamese
	{0x2000, 3 * token},     //
	{0x2070, token},         // dashes, quotes
	{0x2c00, 2 * token},     // arrows, mathematics, boxes
	{0x3000, 3 * token},     //
	{0x3100, token * 9 / 8}, // CJK punctuation, kana
	{0xd7b0, token * 3 / 2}, // Chinese, Korean
	{0xff00, 3 * token},     //
	{0xffe0, token * 5 / 4}, // full width
	{0x110000, 3 * token},   // emoji
}

// character returns the length and the cost of the character at the beginning of
// text.
func character[T string | ~[]byte](text T) (n, cost int) {
	var first [utf8.UTFMax]byte
	r, n := utf8.DecodeRune(first[:copy(first[:], text)])
	i := 0
	for scripts[i].below <= r {
		i++
	}
	return n, scripts[i].cost
}
