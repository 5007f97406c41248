package references

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A ClaimType is what a model says that a reference is.
type ClaimType string

const (
	LegalSection      ClaimType = "legal_section"      // a part of a law or of a document
	AcademicNumbered  ClaimType = "academic_numbered"  // [Numbered]
	AcademicShortForm ClaimType = "academic_shortform" // [AuthorYear]
	DocumentMention   ClaimType = "document_mention"   // [Document]
)

// kinds has the kinds that a type stands for. The first one is that of a claim
// that no pattern confirms.
var kinds = map[ClaimType][]Kind{
	LegalSection:      {Section, Law},
	AcademicNumbered:  {Numbered},
	AcademicShortForm: {AuthorYear},
	DocumentMention:   {Document, Law, URL},
}

// A Claim is a reference that a model found in a text. It has the JSON form of a
// model's reply, and is not trusted: see [Locate].
type Claim struct {
	Type   ClaimType `json:"type" jsonschema:"enum=legal_section,enum=academic_numbered,enum=academic_shortform,enum=document_mention"`
	Text   string    `json:"text" jsonschema_description:"the reference, copied from the text without changes"`
	Target string    `json:"target,omitempty" jsonschema_description:"the name of the law or document that it refers to, copied from it, or empty"`
}

const maxClaim = 500 // bytes of the text of a claim

// Locate returns the references that a model claims to have found in a text, in the
// order of the text, and the claims that it drops: those with an unknown type, with
// an empty text or one of more than 500 bytes, and those whose text does not occur in
// the given text. The texts must be equal except for white space. If a text occurs
// several times, Locate returns the first occurrence.
//
// A Target that the text does not contain is removed. If [Find] recognizes a
// reference with a target within the claimed words, Locate returns that one.
func Locate(text string, claims []Claim) (found []Reference, dropped []Claim) {
	if len(claims) == 0 {
		return nil, nil
	}
	known := Find(text)
	for _, c := range claims {
		from, to := place(text, c.Text)
		if from < 0 || kinds[c.Type] == nil {
			dropped = append(dropped, c)
			continue
		}
		target := ""
		if a, b := place(text, c.Target); a >= 0 {
			target = text[a:b]
		}
		r := Reference{Kind: kinds[c.Type][0], Text: text[from:to], From: from, To: to, Target: strings.Join(strings.Fields(target), " ")}
		i, _ := slices.BinarySearchFunc(known, from, func(k Reference, from int) int { return cmp.Compare(k.From, from) })
		var within []Reference
		for ; i < len(known) && known[i].To <= to; i++ {
			if slices.Contains(kinds[c.Type], known[i].Kind) {
				within = append(within, known[i])
			}
		}
		if len(within) == 1 {
			r.Kind, r.Part = within[0].Kind, within[0].Part
			if within[0].Target != "" {
				r = within[0]
			}
		}
		found = append(found, r)
	}
	slices.SortStableFunc(found, order)
	return found, dropped
}

func order(a, b Reference) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) }

// place returns the first place of words in a text, whatever its white space: one that neither
// begins nor ends within a word. It returns -1 if there is none.
func place(text, words string) (from, to int) {
	fields := strings.Fields(words)
	if len(words) > maxClaim || len(fields) == 0 || !utf8.ValidString(words) {
		return -1, -1
	}
	for i, f := range fields {
		fields[i] = regexp.QuoteMeta(f)
	}
	for _, m := range regexp.MustCompile(strings.Join(fields, `[\s\v\p{Z}\x{85}]+`)).FindAllStringIndex(text, -1) {
		if !(inWordBefore(text, m[0]) && inWordAt(text, m[0])) && !(inWordBefore(text, m[1]) && inWordAt(text, m[1])) {
			return m[0], m[1]
		}
	}
	return -1, -1
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func inWordBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return inWord(r)
}
