package references

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

const (
	// sections are the sections of a law with their subsections: 5739.02(B)(7) and (d).
	sections = `\d(?:[\p{L}\d.:/–-]*[\p{L}\d])?` + subsections + `(?:(?:,|,?\s(?:and|or|to|through|&)|` +
		`\s?[-–])\s?(?:§{1,2}\s?)?(?:\d(?:[\p{L}\d.:/–-]*[\p{L}\d])?` + subsections + `|` +
		`(?:\(\w{1,5}\))+))*`
	// subsections are those of one section.
	subsections = `(?:\s?\(\w{1,5}\))*`
)

const (
	// item is the number of a part: 4.2, 3a, 12(b)(6), IV, B.
	item = `\d+(?:[.-]\d+)*[a-z]?(?:\(\w{1,5}\))*`
	// letter is that of an annex, and roman a number of what is written with a capital.
	letter = `(?:` + item + `|[A-Z](?:[.-]\d+)*\b)`
	roman  = `(?:` + item + `|[IVX]+\b)`
	// also is between several of them: 4.2 and 4.3, 5-7.
	also  = `(?:,|,?\s(?:and|or|to|through)|\s?[-–])\s?`
	items = item + `(?:` + also + item + `)*`
	// capitalized is a sequence of words with capitals.
	capitalized = `\p{Lu}[\p{L}\d'’&-]*(?:\s(?:(?:and|of|for|on|in|at|to|the|with)\s){0,2}\p{Lu}[\p{L}\d'’&-]*){0,8}`
	euEnglish   = `(?:Regulation|Directive|Decision)\s(?:\((?:EU|EC|EEC|Euratom)\)\s)?(?:No\s)?\d+/\d+` +
		`(?:/(?:EU|EC|EEC))?`
	actWord = `(?:Act|Code|Regulations?|Directive|Constitution|Charter|Treaty|Convention|Statutes?|` +
		`Ordinance|Order|Rules|Law)`
)

var (
	partForm = regexp.MustCompile(`^(?:(?:Appendix|Annex|Schedule|Part|Exhibit)\s` + letter + `(?:` + also + letter +
		`)*|(?:Sections?|Articles?|Chapters?|Parts?|Title)\s` + roman + `(?:` + also + roman + `)*|` +
		`(?:(?i:sections?|articles?|clauses?|chapters?|paragraphs?|appendix|annex|schedule|subsection|part)|` +
		`Secs?\.?|ss?\.?|[Pp]ara\.?|Rule|Art\.)\s` + items + `)`)
	// directly is a law behind a part: Article 6 GDPR.
	directly = regexp.MustCompile(`^,?\s([A-Z]{3,}|` + euEnglish + `|` + capitalized + `\s` + actWord + `(?:\s` +
		`(?:of\s)?(?:1[6-9]|20)\d\d\b)?)`)
	// of is the law or the document of a part.
	of = regexp.MustCompile(`^(,?\s(?:of|in|to|from|under)\s(?:the\s|this\s|our\s|its\s)?)(` + standards + `|` +
		`` + designator + `|` + euEnglish + `|` + capitalized + `|["“„][^"”“\n]{2,100}["”“]|` +
		`(?:[\p{Ll}][\p{L}-]*\s){0,3}` + englishNoun + `)((?:,?\s(?:of\s)?(?:1[6-9]|20)\d\d\b)?)`)

	actName  = regexp.MustCompile(`\b` + actWord + `$`)
	acronym  = regexp.MustCompile(`^[A-Z]{3,}$`)
	actAfter = regexp.MustCompile(`^((?:Act|Code|Regulations?|Constitution)(?:\s(?:of\s)?(?:1[6-9]|` +
		`20)\d\d\b)?)(?:,\s((?:s|ss|section|sections)\.?\s` + items + `)|,?\s(§{1,2}\s?` + sections + `))?`)
	euAct = regexp.MustCompile(`^` + euEnglish)
)

// englishPart reads a part of a document or an act: Section 4.2 of the Safety Manual,
// Article 6(1) GDPR.
func englishPart(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := partForm.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	to := at + m[1]
	if d := directly.FindStringSubmatch(text[to:]); d != nil && !notLaw.MatchString(d[1]) {
		if end := to + len(d[0]); !inWordAt(text, end) {
			return reference(Law, text, at, end, d[1], text[at:to]), end
		}
	}
	kind, end, target := ofEnglish(text, to)
	return reference(kind, text, at, end, target, text[at:to]), end
}

// anotherPart matches the end of a name that takes in the part that follows it: of the
// Fee Rules and Section 7.
var anotherPart = regexp.MustCompile(`(?:,|,?\s(?:and|or|with|to|in))\s(?:Appendix|Annex|Schedule|Parts?|Exhibit|Sections?|Articles?|Chapters?|` +
	`Title|Clauses?|Paragraphs?|Subsection|Rule|Art|Secs?)$`)

// ofEnglish returns the end, the kind and the name of the law or document of a part that
// ends at a position: of the Safety Manual. Without one it returns the position.
func ofEnglish(text string, at int) (kind Kind, end int, target string) {
	o := of.FindStringSubmatchIndex(text[at:])
	if o == nil || inWordAt(text, at+o[1]) {
		return Section, at, ""
	}
	name := text[at+o[4] : at+o[5]]
	end = at + o[1]
	if m := anotherPart.FindStringIndex(name); m != nil && end == at+o[5] {
		name, end = name[:m[0]], at+o[4]+m[0]
	}
	target = strings.Trim(text[at+o[4]:end], `"“”„`)
	switch {
	case actName.MatchString(name) && strings.Contains(target, " "), euAct.MatchString(name),
		acronym.MatchString(name) && !notLaw.MatchString(name):
		return Law, end, target
	case strings.Contains(target, " ") || strings.Trim(name, `"“”„`) != name || strings.ContainsAny(name, "0123456789"):
		return Section, end, target
	}
	return Section, at, ""
}

// starting are words that begin a sentence or lead to a name. The others are words
// within a name.
var (
	starting = wordset.Of(`
		the The This That These Under In A An Our Its By See Per And Or For Any Each Such Of To Since Because If
		When While With Der Die Das Dem Den Des`)
	inLaws      = wordset.Of("and of for on in at to the with &")
	inDocuments = wordset.Of("and of for &")
)

// titleBefore returns where the name begins that ends at a position: the words with a
// capital before it, at most eight, with small words between them. The signs may be
// in the words.
func titleBefore(text string, floor, at int, small map[string]bool, signs string) int {
	var names []int // where the words with a capital begin
	for pos := at; pos > floor && len(names) < 8; {
		end := pos - 1
		if text[end] != ' ' && text[end] != '\n' {
			break
		}
		start := end
		for start > floor && end-start < 40 {
			r, n := utf8.DecodeLastRuneInString(text[:start])
			if !inWord(r) && !strings.ContainsRune("'’-", r) && !strings.ContainsRune(signs, r) {
				break
			}
			start -= n
		}
		word := text[start:end]
		first, _ := utf8.DecodeRuneInString(word)
		switch {
		case unicode.IsUpper(first):
			names = append(names, start)
		case !small[word]:
			pos = floor
			continue
		}
		pos = start
	}
	for _, from := range slices.Backward(names) {
		word, _, _ := strings.Cut(text[from:at], " ")
		if !starting[word] {
			return from
		}
	}
	return at
}

// act reads a law by its name: the Data Protection Act 2018.
func act(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	if m := euAct.FindStringIndex(text[at:]); m != nil {
		return reference(Law, text, at, at+m[1], text[at:at+m[1]], ""), at + m[1]
	}
	m := actAfter.FindStringSubmatchIndex(text[at:])
	if m == nil {
		return r, at
	}
	from := titleBefore(text, floor, at, inLaws, ",&")
	if from >= at {
		return r, at
	}
	end = at + m[1]
	inner := ""
	if i := max(m[4], m[6]); i >= 0 {
		inner = text[at+i : at+max(m[5], m[7])]
	}
	return reference(Law, text, from, end, text[from:at+m[3]], inner), end
}

// sectionOfAct reads s. 5 of the Consumer Rights Act 2015.
func sectionOfAct(s *scan, at int) (r Reference, end int) {
	if r, end = englishPart(s, at); r.Kind == Law {
		return r, end
	}
	return Reference{}, at
}

// germanOrEnglishArticle reads Art. 5 Abs. 2 GG and Art. 6(1)(f) GDPR.
func germanOrEnglishArticle(s *scan, at int) (r Reference, end int) {
	if englishArticle.MatchString(s.text[at:]) {
		return englishPart(s, at)
	}
	return germanLaw(s, at)
}

var englishArticle = regexp.MustCompile(`^Art\.\s\d+\(\w`)
