// Package citation resolves the citations of a text to sources, and checks its
// quotations, numbers and dates against them.
//
// A model that writes an answer gets passages, each with a key that [Key] returns,
// and cites a passage by its key in square brackets. A [Text] replaces the keys by
// numbers while the text streams, and removes keys that no source has:
//
//	out := citation.NewText(sources, emit)
//	out.Write("It cannot be opened again [c4k7fm].")
//	result := out.Close() // "It cannot be opened again [1]."
//
// [Result.Audit] checks the result. [Audit] checks any other text with its sources.
// Neither calls a model:
//
//   - Each cited key has a source.
//   - Each quotation is verbatim in the sources that its sentence cites, apart from
//     case, spaces, and the forms of quotation marks and dashes. Parts of a
//     quotation may be left out where it has "..." or "[...]".
//   - Each amount and each date of a cited sentence is in the sources that it
//     cites, in any form. Package [figures] reads the numbers. A number can also be by
//     how much something rose or fell in a source, as in "from 100 to 120", and the same rate or
//     time in other units. A sum of numbers of a source is none: what belongs together is not known.
//   - A year, a version, a time of day, a number in words, an ordinal, a unit and a number
//     in a name, such as 8 in UTF-8, is reported only if the source has another one of the
//     same thing, and nothing from which a reader could compute it. Many false ones pass.
//   - Sentences that state something without a citation are counted.
//
// These are all the rules. Audit does not know whether a source means what the
// sentence says: "it is open [1]" passes even if the source says "it is not open".
//
// [figures]: https://pkg.go.dev/github.com/qedkit/qed/figures
package citation

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"slices"
	"strings"
)

// A Source is a text that can be cited.
type Source struct {
	Key  string // what stands between the brackets
	Text string // all that the source says, with its headings
}

// Key returns a key for the source that parts identify. It is the same for the
// same parts, and says nothing about them.
func Key(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	text := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	return "c" + string('0'+sum[31]%10) + text[:4]
}

// Keys returns the wanted keys, or others for those that are given twice or stand in a text
// of the prompt: a document could contain the key of another one next to a forged
// statement, and the model would copy both.
func Keys(wanted []string, texts ...string) []string {
	taken := map[string]bool{None: true}
	keys := make([]string, len(wanted))
	for i, k := range wanted {
		for taken[k] || slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, k) }) {
			k = Key(k)
		}
		taken[k], keys[i] = true, k
	}
	return keys
}

// None is the key that says that no source answers the question: see [Result.None].
const None = "none"

// keyLike matches what a model may take for a key. Text such as [x] and [2024] is
// not treated as a citation.
var keyLike = regexp.MustCompile(`^(?:[0-9]{1,3}(?:[-–][0-9]{1,3})?|[A-Za-z]+[-_:]?[0-9][0-9A-Za-z_:-]*)$`)

// cited returns the keys in the text between brackets, and whether it is a
// citation: one of the keys is known, or all look like keys.
func cited(inner string, known func(key string) bool) (keys []string, ok bool) {
	some, all := false, true
	for part := range strings.FieldsFuncSeq(inner, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		switch {
		case known(part) || part == None:
			some = true
		case !keyLike.MatchString(part):
			all = false
			continue
		}
		keys = append(keys, part)
	}
	return keys, len(keys) > 0 && (some || all)
}
