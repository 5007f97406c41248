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
	"slices"
	"strings"
	"sync"
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

// Find returns the references of a text in their order. They do not overlap. One that is longer
// than 250 bytes, or an address of more than 2,000, may be cut off. The time grows linearly with
// the text.
func Find(text string) []Reference {
	of := make([][]Reference, len(forms))
	ends := make([]int, len(forms)) // of the last reference of each form
	for at, first := range text {
		if inWord(first) && (inWordBefore(text, at) || strings.HasSuffix(text[:at], "-")) {
			continue
		}
		try := func(i int) {
			if f := &forms[i]; at >= ends[i] && f.beginsAt(text[at:]) {
				if r, ok := f.read(text, at); ok {
					of[i], ends[i] = append(of[i], r), r.To
				}
			}
		}
		for _, i := range formsByLetter()[unicode.ToLower(first)] {
			try(i)
		}
		if unicode.IsUpper(first) {
			for _, i := range formsByLetter()[anyCapital] {
				try(i)
			}
		}
	}
	all := slices.Concat(of...)
	slices.SortStableFunc(all, func(a, b Reference) int { return cmp.Compare(a.From, b.From) })
	found := all[:0]
	end := 0
	for _, r := range all {
		if r.From >= end {
			end = r.To
			if !isHeading(text, r) {
				found = append(found, r)
			}
		}
	}
	return found
}

// anyCapital is the key of the forms that begin with any capital.
const anyCapital = -1

// formsByLetter returns the forms by the letter or the sign that they begin with.
var formsByLetter = sync.OnceValue(func() map[rune][]int {
	all := map[rune][]int{}
	for i, f := range forms {
		if f.begins == nil {
			all[anyCapital] = append(all[anyCapital], i)
		}
		for _, word := range f.begins {
			first, _ := utf8.DecodeRuneInString(word)
			if !slices.Contains(all[first], i) {
				all[first] = append(all[first], i)
			}
		}
	}
	return all
})

// beginsAt reports whether a reference of the form may begin a text that has its first letter.
func (f *form) beginsAt(text string) bool {
	return f.begins == nil || slices.ContainsFunc(f.begins, func(word string) bool {
		return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
	})
}

// maxLength is the number of bytes in which a reference ends, apart from an address.
const maxLength = 250

// read returns the reference of the form that begins at a position.
func (f *form) read(text string, at int) (r Reference, ok bool) {
	end := min(len(text), at+maxLength)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	m := f.pattern.FindStringSubmatchIndex(text[at:end])
	if m == nil {
		return r, false
	}
	r = Reference{Kind: f.kind, From: at, To: at + m[1]}
	for i, name := range f.pattern.SubexpNames() {
		if m[2*i] < 0 {
			continue
		}
		from, to := at+m[2*i], at+m[2*i+1]
		switch name {
		case "ref":
			r.From, r.To = from, to
		case "target":
			r.Target = text[from:to]
		case "part":
			r.Part = text[from:to]
		}
	}
	r.Text = text[r.From:r.To]
	if f.adjust != nil && !f.adjust(text, &r) || inWordAt(text, r.To) && inWordBefore(text, r.To) {
		return r, false
	}
	target := strings.Join(strings.Fields(strings.Trim(r.Target, `"“”„«»`)), " ")
	r.Target, r.Part = genitive.ReplaceAllString(target, "$1"), strings.Join(strings.Fields(r.Part), " ")
	return r, true
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

// inWordAt reports whether there is a letter or a digit at text[at:].
func inWordAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return inWord(r)
}

// genitive is a German name as it stands behind a part: des Arbeitszeitgesetzes.
var genitive = regexp.MustCompile(`((?:[Gg]esetz|[Bb]uch|vertrag|blatt|heft|konzept|bericht|statut|` +
	`leitfaden|protokoll|katalog))(?:es|s)\b`)
