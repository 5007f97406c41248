package provider

import (
	"encoding/json"
	"unicode/utf8"
)

// foreign is a plane that JSON text can name and no text has. It stands for bytes.
const foreign = 0x10ff00

// Unquote returns a string of JSON, with the bytes in it that are no UTF-8: a piece of
// a reply may end in the middle of a rune. Package json would replace them.
func Unquote(raw []byte) ([]byte, error) {
	var text string
	if utf8.Valid(raw) {
		err := json.Unmarshal(raw, &text)
		return []byte(text), err
	}
	marked := make([]byte, 0, len(raw)+8)
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			marked = utf8.AppendRune(marked, foreign+rune(raw[0]))
		} else {
			marked = append(marked, raw[:n]...)
		}
		raw = raw[n:]
	}
	if err := json.Unmarshal(marked, &text); err != nil {
		return nil, err
	}
	var out []byte
	for _, r := range text {
		if r > foreign && r <= foreign+0xff {
			out = append(out, byte(r-foreign))
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out, nil
}
