// Package references finds what German and English texts refer to: a section of a
// law or a document, another document, a URL.
//
//	for _, r := range references.Find("See Section 4.2 and § 5 Abs. 2 UWG.") {
//		fmt.Println(r.Kind, r.Text) // section Section 4.2, law § 5 Abs. 2 UWG
//	}
//
// [Find] uses patterns, and knows no list of laws. It looks for what a registry of
// documents can have: it finds no decisions of courts, no articles of journals and no
// works of a list of sources. The same text gives the same references.
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
func Find(text string) (found []Reference) {
	s := scan{text: text, known: map[memo]int{}}
	for at, first := range text {
		if inWord(first) && (inWordBefore(text, at) || strings.HasSuffix(text[:at], "-")) {
			continue
		}
		if r, ok := s.first(at, len(forms)); ok {
			s.end = r.To
			if !isHeading(text, r) {
				found = append(found, r)
			}
		}
	}
	return found
}

// first returns what the first of the forms below a number reads at a position. Of a reference
// behind its lead, a form before it may read more.
func (s *scan) first(at, below int) (r Reference, ok bool) {
	letter, _ := utf8.DecodeRuneInString(s.text[at:])
	for _, i := range formsAt(letter) {
		f := &forms[i]
		if i >= below || at < s.end && !f.isCue() || !f.beginsAt(s.window(at)) {
			continue
		}
		if r, ok = s.read(f, at); ok && r.From >= s.end {
			if r.From > at {
				if other, ok := s.first(r.From, i); ok && other.From == r.From {
					return other, true
				}
			}
			return r, true
		}
	}
	return r, false
}

// anyCapital is the key of the forms that begin with any capital.
const anyCapital = -1

// formsAt returns the forms that begin with a letter or a sign.
func formsAt(first rune) []int {
	all := formsByLetter()
	if of, ok := all[first]; ok || !unicode.IsUpper(first) {
		return of
	}
	return all[anyCapital]
}

// formsByLetter returns the forms by the letter or the sign that they begin with.
var formsByLetter = sync.OnceValue(func() map[rune][]int {
	all := map[rune][]int{anyCapital: nil}
	for _, f := range forms {
		for _, word := range f.begins {
			first, _ := utf8.DecodeRuneInString(word)
			all[first], all[unicode.ToUpper(first)] = nil, nil
		}
	}
	for first := range all {
		for i, f := range forms {
			begins := func(word string) bool { return strings.HasPrefix(word, string(unicode.ToLower(first))) }
			if slices.ContainsFunc(f.begins, begins) || f.begins == nil && (first == anyCapital || unicode.IsUpper(first)) {
				all[first] = append(all[first], i)
			}
		}
	}
	return all
})

// beginsAt reports whether a reference of the form may begin a text that has its first letter.
// A word of one or two letters is a whole one.
func (f *form) beginsAt(text string) bool {
	if f.begins == nil {
		return f.likely == nil || f.likely(text)
	}
	return slices.ContainsFunc(f.begins, func(word string) bool {
		if len(text) < len(word) || text[0]|' ' != word[0]|' ' || !strings.EqualFold(text[:len(word)], word) {
			return false
		}
		next, _ := utf8.DecodeRuneInString(text[len(word):])
		return len(word) > 2 || !inWord(rune(word[0])) || !unicode.IsLetter(next)
	})
}

// maxLength is the number of bytes in which a reference ends, apart from an address.
const maxLength = 250

// A scan is the state of [Find]. It remembers what repeated texts would have it read again.
type scan struct {
	text  string
	known map[memo]int
	last  memo // the lead that was read last, and where it may end
	ends  []int
	end   int // of the last reference
}

// A memo is where a lead continues from a byte of the text, or that a form does not: -1.
type memo struct {
	of any // *lead or *form
	at int
}

// lead returns where a lead that begins at a position may end.
func (s *scan) lead(l *lead, at int) []int {
	if s.last == (memo{l, at}) {
		return s.ends
	}
	s.last, s.ends = memo{l, at}, nil
	m := l.first.FindStringIndex(s.window(at))
	for m != nil && at+m[1] <= s.last.at+maxLength {
		at += m[1]
		s.ends = append(s.ends, at)
		if next := s.known[memo{l, at}]; next > 0 {
			m = []int{0, next - at}
			continue
		}
		m = nil
		for i := 0; i < len(l.more) && m == nil; i++ {
			m = l.more[i].FindStringIndex(s.window(at))
		}
		if m != nil {
			s.known[memo{l, at}] = at + m[1]
		}
	}
	return s.ends
}

// window returns the text that a pattern reads from a position.
func (s *scan) window(at int) string {
	end := min(len(s.text), at+maxLength)
	for end < len(s.text) && !utf8.RuneStart(s.text[end]) {
		end--
	}
	return s.text[at:end]
}

// read returns the reference of a form that begins at a position.
func (s *scan) read(f *form, at int) (r Reference, ok bool) {
	ends := []int{at}
	if f.lead != nil {
		ends = s.lead(f.lead, at)
	}
	for _, end := range slices.Backward(ends) {
		if len(ends) > 1 && s.known[memo{f, end}] < 0 {
			continue
		}
		if m := f.pattern.FindStringSubmatchIndex(s.window(end)); m != nil {
			return f.reference(s.text, at, end, m)
		}
		if len(ends) > 1 {
			s.known[memo{f, end}] = -1
		}
	}
	return r, false
}

// reference returns the reference that begins at a position, and whose pattern matched behind
// its lead.
func (f *form) reference(text string, at, lead int, m []int) (r Reference, ok bool) {
	r = Reference{Kind: f.kind, From: at, To: lead + m[1], Part: text[at:lead]}
	for i, name := range f.pattern.SubexpNames() {
		if m[2*i] < 0 {
			continue
		}
		from, to := lead+m[2*i], lead+m[2*i+1]
		switch name {
		case "ref":
			r.From, r.To, r.Part = from, to, ""
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
	if strings.Contains(target, "s") {
		target = genitive.ReplaceAllString(target, "$1")
	}
	r.Target, r.Part = target, strings.Join(strings.Fields(r.Part), " ")
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
