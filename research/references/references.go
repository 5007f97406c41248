// Package references finds what German and English texts refer to: a section of a
// law or a document, another document, a work of a list of sources, a URL.
//
//	for _, r := range references.Find("See Section 4.2 and § 5 Abs. 2 UWG.") {
//		fmt.Println(r.Kind, r.Text) // section Section 4.2, law § 5 Abs. 2 UWG
//	}
//
// [Find] uses patterns, and knows no list of laws. It looks for what a registry of
// documents can have: it finds no decisions of courts and no articles of journals. The
// same text gives the same references.
//
// A model can find references that no pattern describes: [Locate] checks its claims
// against the text, and [Merge] combines both. A [Registry] has the names of the
// host's documents: [Registry.Resolve] returns the document that the Target of a
// [Reference] names.
//
// The functions are safe for concurrent use.
package references

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is what a reference refers to.
type Kind string

const (
	Law      Kind = "law"      // a provision of a law, or a law: § 5 Abs. 2 UWG, Article 6 GDPR
	Section  Kind = "section"  // a part of a document: Section 4.2, Kapitel 3, Anhang B
	Document Kind = "document" // a document by its name or number: "Safety Manual", ISO 9001
	URL      Kind = "url"

	Numbered   Kind = "numbered"    // entries of the list of sources by number: [12], [3, 5-7]
	AuthorYear Kind = "author_year" // an entry by author and year: Kandel et al. (2021)
)

// A Reference is a part of a text that refers to something.
type Reference struct {
	Kind Kind `json:"kind"`

	// Text is the part of the text, from byte From to byte To.
	Text string `json:"text"`
	From int    `json:"from"`
	To   int    `json:"to"`

	// Target is the law or the document that Text names, in a uniform spelling:
	// "UWG" for "§ 5 UWG", "Safety Manual" for "Section 4.2 of the Safety Manual".
	// It is empty if Text names none, such as "Section 4.2".
	Target string `json:"target,omitempty"`

	// Part is the part of the target: "§ 5 Abs. 2", "Section 4.2". It may be empty.
	Part string `json:"part,omitempty"`
}

// Key returns the same text for references of one kind to the same part of the same
// target, whatever their spaces and letter case.
func (r Reference) Key() string {
	target := strings.Join(strings.Fields(cmp.Or(r.Target, r.Text)), " ")
	return string(r.Kind) + ":" + strings.ToLower(target+":"+compact(r.Part))
}

// compact returns the number of a part without the spaces and points that people write
// or leave out: those that are not between two digits.
func compact(part string) string {
	var b strings.Builder
	var last rune // the last letter, digit or sign
	gap := rune(0)
	for _, r := range part {
		if unicode.IsSpace(r) || r == '.' {
			gap = r
			continue
		}
		if gap != 0 && unicode.IsDigit(last) && unicode.IsDigit(r) {
			if gap != '.' {
				gap = ' '
			}
			b.WriteRune(gap)
		}
		b.WriteRune(r)
		last, gap = r, 0
	}
	return b.String()
}

// maxLength is the number of bytes in which a reference ends. It bounds the time that
// is spent at one position of a text.
const maxLength = 4000

// A rule reads the reference at a position of the text. It may begin before that, but
// not before the floor. It returns the position behind what it has read, which is
// not looked at again, or at.
type rule func(s *scan, at int) (r Reference, end int)

// A scan is the state of [Find].
type scan struct {
	text   string // without what is too far away from the position
	floor  int    // the end of the last reference
	barren int    // the end of a list of provisions that no law follows
}

// Find returns the references of a text in their order. They do not overlap. A
// reference that is longer than 4,000 bytes may be cut off. The time grows linearly
// with the text.
func Find(text string) []Reference {
	var found []Reference
	var s scan
	for at := 0; at < len(text); {
		size, rules := rulesAt(text, at)
		end := at
		if len(rules) > 0 {
			s.text = text[:window(text, at)]
			for _, read := range rules {
				r, to := read(&s, at)
				if to <= at {
					continue
				}
				if end = to; r.Kind != "" && !isHeading(text, r) {
					found = append(found, r)
					s.floor = to
				}
				break
			}
		}
		at = max(end, at+size)
	}
	return found
}

// isHeading reports whether a reference is the number of the section that begins
// there, in a heading of Markdown.
func isHeading(text string, r Reference) bool {
	if r.Kind != Section || r.Target != "" {
		return false
	}
	before := strings.TrimRight(text[max(0, r.From-10):r.From], " ")
	marks := strings.TrimRight(before, "#")
	return len(marks) < len(before) && (marks == "" && r.From <= 10 || strings.HasSuffix(marks, "\n"))
}

// window returns the end of the part of a text that the rules read from at.
func window(text string, at int) int {
	end := at + maxLength
	if end >= len(text) {
		return len(text)
	}
	for !utf8.RuneStart(text[end]) && end > at {
		end--
	}
	return end
}

// rulesAt returns the size of the word, number or sign at text[at:], and the rules
// that may read a reference there.
func rulesAt(text string, at int) (size int, rules []rule) {
	r, n := utf8.DecodeRuneInString(text[at:])
	switch {
	case r == '§':
		return n, atSign
	case r == '[':
		return n, atBracket
	case r == '(':
		return n, atParenthesis
	case r == '"' || r == '„' || r == '“' || r == '”' || r == '«' || r == '»':
		return n, atQuote
	case '0' <= r && r <= '9':
		size = n
		for at+size < len(text) && '0' <= text[at+size] && text[at+size] <= '9' {
			size++
		}
		return size + wordSize(text[at+size:]), nil
	case unicode.IsLetter(r):
		size = wordSize(text[at:])
		return size, rulesFor(text[at : at+size])
	}
	return n, nil
}

// wordSize returns the number of bytes of the letters, digits and hyphens that a text
// begins with.
func wordSize(text string) int {
	for i, r := range text {
		if !inWord(r) && r != '-' && r != '_' {
			return i
		}
	}
	return len(text)
}

// inWordAt reports whether there is a letter or a digit at text[at:].
func inWordAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return inWord(r)
}

// reference returns the reference text[from:to].
func reference(kind Kind, text string, from, to int, target, part string) Reference {
	return Reference{
		Kind: kind, Text: text[from:to], From: from, To: to,
		Target: genitive.ReplaceAllString(strings.Join(strings.Fields(target), " "), "$1"),
		Part:   strings.Join(strings.Fields(part), " "),
	}
}

// genitive is a German name as it stands behind a part: des Arbeitszeitgesetzes.
var genitive = regexp.MustCompile(`((?:[Gg]esetz|[Bb]uch|vertrag|blatt|heft|konzept|bericht|statut|` +
	`leitfaden|protokoll|katalog))(?:es|s)\b`)
