package references

import (
	"regexp"
	"strings"
)

const (
	// englishNoun and germanNoun are words for documents.
	englishNoun = `(?i:manual|handbook|guide|guidelines?|policy|policies|procedures?|specification|standard|report|agreement|contract|instructions?|protocol|playbook|catalogue|plan|code of conduct|terms of use|terms and conditions)\b`
	germanNoun  = `(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|leitfadens?|merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift(?:en)?|konzept(?:e?s)?|vertrag(?:e?s)?|vereinbarung|bericht(?:e?s)?|protokolls?|katalogs?|plan(?:e?s)?|ordnung|verzeichnis(?:ses)?|satzung)`
	// designator tells documents of one kind apart: BA-12, QM 7.3, 2021.
	designator = `(?:[A-Z]{1,5}(?:[-_][A-Z]{1,5})*[-_ ]?\d[\w./-]*\w|[A-Z]{1,5}[-_ ]?\d|(?:19|20)\d\d\b)`
	quotation  = `(?:"[^"\n]{2,100}"|[“„«»][^"“”«»\n]{2,100}["“”«»])`
)

// isGermanDocument reports whether a word names a document: Wartungshandbuch.
func isGermanDocument(word string) bool { return germanTitle.MatchString(word) }

var (
	germanTitle = regexp.MustCompile(`^\p{Lu}[\p{L}-]+(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|leitfadens?|merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift)$`)
	germanAlone = regexp.MustCompile(`^\p{Lu}[\p{L}-]+(?:` + sps + `(?:` + designator + `|` + quotation + `))?`)
	// pointer is a word before a document that is referred to.
	pointer = regexp.MustCompile(`(?:[Ss]iehe|[Vv]gl\.|[Vv]ergleiche|[Gg]emäß|[Ll]aut|[Nn]ach|[Ii]m|[Ii]n|[Aa]us|[Vv]om|[Zz]um|[Zz]ur|[Vv]on|[Dd]urch)(?:\s(?:dem|der|das|die|den|des|unserem|unserer|dieser))?\s$|(?:^|\s)(?:des|der|dem|das|die)\s$`)
	cue     = regexp.MustCompile(`(?i:\bsee|\bper|\bin|\bof|\bfrom|\bto|\bdocument|\bmanual|\bpolicy|\bsiehe|\bvgl\.|\bgemäß|\blaut|\bim|\bdokument|\bhandbuch|\brichtlinie|\bleitfaden)(?:\s(?:the|dem|der|das|die))?\s$`)

	germanOf = regexp.MustCompile(`^` + sps + `(?:des|der|dem|zum|zur|im|in` + sps + `de[rm]|aus` + sps + `de[rm]|von)` + sps +
		`(` + quotation + `|(?:` + adjective + sps + `)?(?:(?:\p{Lu}[\p{L}-]*?)(?i:` + germanNoun + `)|\p{Lu}[\p{L}-]*[-\p{Ll}]` + germanNoun + `)(?:` + sps + `(?:` + designator + `|` + quotation + `))?|(?:` + standards + `)|` + designator + `)`)

	quoted0 = regexp.MustCompile(`^` + quotation)
	title   = regexp.MustCompile(`^.\p{Lu}[^.!?:;]{2,}.{1,3}$`)
)

// ofGerman returns the end and the name of the document of a part: Abschnitt 4.2 des
// Wartungshandbuchs.
func ofGerman(text string, at int) (end int, name string) {
	m := germanOf.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return 0, ""
	}
	return at + m[1], strings.Trim(text[at+m[2]:at+m[3]], `"“”„«»`)
}

// germanDocument reads a document by its name: laut Reisekostenrichtlinie.
func germanDocument(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := germanAlone.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) || !pointer.MatchString(text[max(floor, at-30):at]) {
		return r, at
	}
	end = at + m[1]
	name := text[at:end]
	if !isGermanDocument(name) && !strings.Contains(name, " ") {
		return r, at // a document that is not named: die Richtlinie
	}
	return reference(Document, text, at, end, strings.Trim(name, `"“”„«»`), ""), end
}

// englishBefore is the name of a document before its last word: Travel Expense.
var englishBefore = regexp.MustCompile(`(?:^|[\s("“])(\p{Lu}[\p{L}\d'’&-]*\s(?:(?:(?:and|of|for|on|in|to)\s)?\p{Lu}[\p{L}\d'’&-]*\s){0,5})$`)

var englishAfter = regexp.MustCompile(`^\p{L}+(?:\s(?:for|of|on)\s\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+){0,3})?(?:\s(?:` + designator + `))?`)

// englishDocument reads a document by its name: the Travel Expense Policy.
func englishDocument(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	start := max(floor, at-80)
	b := englishBefore.FindStringSubmatchIndex(text[start:at])
	if b == nil {
		return r, at
	}
	from := start + b[2]
	for {
		s := starting.FindStringIndex(text[from:at])
		if s == nil {
			break
		}
		from += s[1]
	}
	m := englishAfter.FindStringIndex(text[at:])
	if from >= at || m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = at + m[1]
	return reference(Document, text, from, end, text[from:end], ""), end
}

// quoted reads a title in quotation marks behind a word that refers to it: see "Safety
// Manual".
func quoted(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := quoted0.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	if !title.MatchString(text[at:end]) || !cue.MatchString(text[max(floor, at-40):at]) {
		return r, at
	}
	return reference(Document, text, at, end, strings.Trim(text[at:end], `"“”„«»`), ""), end
}

const standards = `(?:(?:DIN|EN|ISO|IEC|VDE|ANSI|BS|ASTM|UL)[ /-]?){1,3}\s?(?:\p{Lu}\s?)?\d[\d.:-]*\d(?:-\d+)?|(?:TRBS|TRGS|VDI|NFPA|RFC|FIPS|ECE|SOP)[ -]?\p{Lu}?\d[\d.-]*\d|IEEE\s(?:Std\s)?\d[\d.]*\d(?:\p{Ll}{1,2})?|NIST\sSP\s\d+-\d+\w?|DGUV\s(?:Vorschrift|Regel|Information|Grundsatz)\s\d+(?:-\d+)?|OSHA\s\d+(?:\.\d+)+`

var (
	standard0   = regexp.MustCompile(`^(?:` + standards + `)`)
	identifier0 = regexp.MustCompile(`^(?:arXiv:\s?\d{4}\.\d{4,5}(?:v\d+)?|(?i:doi):\s?10\.\d{4,9}/[^\s<>"]+)`)
	byNumber0   = regexp.MustCompile(`^\p{L}+\s(?:(?:[Nn]o|[Nn]r|[Nn]umber|[Nn]ummer)\.?\s?)?(` + designator + `|\d{3,}(?:[-/]\d+)*)`)
	url0        = regexp.MustCompile(`^(?:https?://|www\.)[^\s<>"“”„«»\x60\\^{}|]+`)
)

// standard reads a standard by its number: DIN EN ISO 9001:2015.
func standard(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := standard0.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = at + len(strings.TrimRight(text[at:at+m[1]], ".:-"))
	return reference(Document, text, at, end, text[at:end], ""), end
}

// identifier reads a publication by its number.
func identifier(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := identifier0.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + len(strings.TrimRight(text[at:at+m[1]], ".,;:)]"))
	return reference(Document, text, at, end, text[at:end], ""), end
}

// byNumber reads a document by its kind and number: Arbeitsanweisung AA-12.
func byNumber(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := byNumber0.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) || yearOnly.MatchString(text[at+m[2]:at+m[3]]) {
		return r, at
	}
	end = at + m[1]
	return reference(Document, text, at, end, text[at+m[2]:at+m[3]], ""), end
}

var yearOnly = regexp.MustCompile(`^(?:19|20)\d\d$`)

// url reads an address of the web, without the punctuation of its sentence.
func url(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := url0.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	for {
		t := strings.TrimRight(text[at:end], ".,;:!?'*_")
		switch {
		case strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")"),
			strings.HasSuffix(t, "]") && strings.Count(t, "[") < strings.Count(t, "]"):
			t = t[:len(t)-1]
		}
		if at+len(t) == end {
			break
		}
		end = at + len(t)
	}
	if !strings.ContainsRune(text[at:end], '.') && !strings.Contains(text[at:end], "//localhost") {
		return r, end
	}
	return reference(URL, text, at, end, text[at:end], ""), end
}

var (
	numbered0 = regexp.MustCompile(`^\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]`)

	authorName = `\p{Lu}[\p{L}'’-]+`
	someYear   = `(?:1[89]|20)\d\d[a-z]?\b`
	inPages    = `(?:,\s(?:pp?\.|S\.)\s?\d+(?:[-–]\d+)?)?`
	author0    = regexp.MustCompile(`^` + authorName + `(?:,\s` + authorName + `)?(?:\set\sal\.?|\su\.\s?a\.|,?\s(?:and|und|&)\s` + authorName + `),?\s[(\[]` + someYear + inPages + `[)\]]`)
	oneWork    = authorName + `(?:,\s` + authorName + `)?(?:\set\sal\.?|\su\.\s?a\.|,?\s(?:and|und|&)\s` + authorName + `)?,\s` + someYear + inPages
	inAuthors  = regexp.MustCompile(`^\(((?:(?:see|cf\.|e\.g\.,|vgl\.|siehe)\s)?` + oneWork + `(?:;\s` + oneWork + `)*)\)`)
	months     = regexp.MustCompile(`^\(?(?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Version|Stand|Edition|Ausgabe)\b`)
)

// numbered reads the number of a source: [12].
func numbered(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := numbered0.FindStringIndex(text[at:])
	if m == nil || at > 0 && (inWordBefore(text, at) || text[at-1] == ']' && floor < at) {
		return r, at
	}
	end = at + m[1]
	if end < len(text) && (text[end] == '(' || text[end] == ':') { // a link, or the entry itself
		return r, at
	}
	return reference(Numbered, text, at, end, text[at:end], ""), end
}

// author reads a source by its authors and year: Kandel et al. (2021).
func author(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := author0.FindStringIndex(text[at:])
	if m == nil || months.MatchString(text[at:]) {
		return r, at
	}
	end = at + m[1]
	return reference(AuthorYear, text, at, end, text[at:end], ""), end
}

// authorInParentheses reads (Kandel et al., 2021; Meier, 2019).
func authorInParentheses(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := inAuthors.FindStringSubmatchIndex(text[at:])
	if m == nil || months.MatchString(text[at:]) {
		return r, at
	}
	end = at + m[1]
	return reference(AuthorYear, text, at+m[2], at+m[3], text[at+m[2]:at+m[3]], ""), end
}
