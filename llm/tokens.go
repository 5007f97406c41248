package llm

import "unicode/utf8"

// A TokenCounter counts the tokens of what a [Request] sends: its messages, tools and format, without the reply.
// It is safe for concurrent use.
type TokenCounter interface {
	CountTokens(req *Request) int
}

// TokenCounterFunc is a function as a [TokenCounter], such as [EstimateTokens].
type TokenCounterFunc func(req *Request) int

// CountTokens calls f.
func (f TokenCounterFunc) CountTokens(req *Request) int { return f(req) }

// What providers put around the parts of a request, in tokens.
const (
	requestTokens = 8   // the mark of its beginning, and of the reply
	messageTokens = 6   // who speaks, and the marks around it
	callTokens    = 12  // the JSON around a tool call
	toolTokens    = 16  // the JSON around a tool
	toolsTokens   = 350 // how tools are to be called, in the provider's words
	formatTokens  = 16  // the JSON around a schema
)

// EstimateTokens estimates how many tokens req sends, for any model: it knows no vocabulary. The estimate is meant to be too
// high rather than too low, see [EstimateText]. It takes a few nanoseconds for each byte, and allocates nothing.
func EstimateTokens(req *Request) int {
	tokens, text := requestTokens, 0
	for i := range req.Messages {
		m := &req.Messages[i]
		tokens += messageTokens
		text += eighths(m.Content) + eighths(m.ToolCallID)
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
		text += eighths(t.Name) + eighths(t.Description) + eighths(t.Input)
	}
	if f := req.Format; f != nil {
		tokens += formatTokens
		if f.Mode == SchemaMode {
			text += eighths(f.Name) + eighths(f.Schema)
		}
	}
	return tokens + roundUp(text)
}

// EstimateText estimates how many tokens a text has. Of the vocabularies that are in use it follows the one that makes most
// of each kind of text: a digit is a token, and so is about every letter of Greek, Hebrew and Thai. So it is about half too
// high for English prose, code and SQL, close for numbers and base64, and several times too high for the languages that
// only newer vocabularies know. It can be too low for a few words, and for text that nobody writes, such as random signs.
func EstimateText(text string) int { return roundUp(eighths(text)) }

func roundUp(eighths int) int { return (eighths + token - 1) / token }

// token is the unit of the estimate: costs are eighths of a token.
const token = 8

// A class says which rule a byte falls under.
type class uint8

const (
	small   class = iota // a to z
	capital              // A to Z
	digit
	space   // the one that is often a part of the next word
	control // line breaks, tabs
	sign    // the rest of ASCII
	latin   // the first of the two bytes of a Latin letter that is not in ASCII
	beyond  // the rest
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
			c[b] = beyond
		}
	}
	return c
}()

// eighths is the estimate for a text, in eighths of a token. It goes through it once.
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

// word is the estimate for the word that text begins with, and how long that is: capitals, then small letters, so
// camelCase is two. Within is whether a letter or a digit is before it: what is in the middle of something is mostly no word.
func word[T string | ~[]byte](text T, within bool) (n, cost int) {
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
			cost += token * 5 / 4 // most vocabularies break a word there
		default:
			break loop
		}
		letters++
	}
	if within {
		cost += token / 2
	}
	if capitals > 1 {
		letters -= capitals
		if within {
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

// same is how often the first byte of text is repeated there, itself included.
func same[T string | ~[]byte](text T) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

// character is the estimate for the character that text begins with, and how long it is.
func character[T string | ~[]byte](text T) (n, cost int) {
	var first [utf8.UTFMax]byte
	r, n := utf8.DecodeRune(first[:copy(first[:], text)])
	switch {
	case r < 0xc0: // signs
		return n, token
	case r < 0x370:
		return n, 2 * token
	case r < 0x3ac: // Greek capitals
		return n, 2 * token
	case r < 0x400: // Greek
		return n, token * 5 / 4
	case r < 0x430: // Cyrillic capitals
		return n, token * 9 / 8
	case r < 0x450: // Cyrillic, as in Russian
		return n, token * 5 / 8
	case r < 0x530: // Cyrillic, as in Ukrainian
		return n, token * 3 / 2
	case r < 0x590: // Armenian
		return n, token * 9 / 4
	case 0x590 <= r && r < 0x600: // Hebrew
		return n, token * 5 / 4
	case 0x600 <= r && r < 0x780: // Arabic
		return n, token
	case 0x900 <= r && r < 0xe00: // the scripts of India
		return n, token * 13 / 8
	case 0xe00 <= r && r < 0xe80: // Thai
		return n, token
	case 0x1e00 <= r && r < 0x1f00: // Vietnamese
		return n, token * 3 / 2
	case 0x2000 <= r && r < 0x2070: // dashes, quotes
		return n, token
	case 0x2070 <= r && r < 0x2c00: // arrows, mathematics, boxes
		return n, 2 * token
	case 0x3000 <= r && r < 0x3100: // their punctuation, kana
		return n, token * 9 / 8
	case 0x3400 <= r && r < 0xa000: // Chinese
		return n, token * 3 / 2
	case 0xac00 <= r && r < 0xd7b0: // Korean
		return n, token * 3 / 2
	case 0xff00 <= r && r < 0xffe0: // full width
		return n, token * 5 / 4
	case r > 0xffff: // emoji
		return n, 3 * token
	}
	return n, n * token // more than the bytes, no vocabulary makes of it
}
