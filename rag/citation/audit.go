package citation

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sentence"
)

// Audit checks a text that cites sources by their keys in square brackets. See the
// package documentation for the rules.
//
// A sentence is a claim if it states something: headings, questions, sentences that
// end with a colon, and lines of tables without a citation are not claims. Numbers
// and dates are checked in sentences with a citation. A quotation in a sentence
// without one can be in any source. Code is ignored.
func Audit(text string, sources []Source) qed.CitationAudit {
	a := auditor{sources: map[string]*checked{}, style: figures.StyleOf(text)}
	for _, s := range sources {
		if a.sources[s.Key] == nil {
			a.sources[s.Key] = check(s)
			a.keys = append(a.keys, s.Key)
		}
	}
	text = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, "\n"), "code")
	text = centuryPart.ReplaceAllString(spelled(hidden.Replace(text), a.style), "$1 $2")
	quotes := quotations(text)
	begin := 0
	for _, end := range sentence.Ends(text) {
		if slices.ContainsFunc(quotes, func(q quotation) bool { return q.start < end && end < q.end }) {
			continue // within a quotation
		}
		var within []string
		for _, q := range quotes {
			if q.start >= begin && q.end <= end {
				within = append(within, q.text)
			}
		}
		a.sentence(text[begin:end], within)
		begin = end
	}
	return a.audit
}

// Audit checks the text of a result. The sources are those that [NewText] was given.
// Each key that was removed is a finding of the kind [qed.UnknownKey], with the first
// 50 bytes of the key.
func (r Result) Audit(sources []Source) qed.CitationAudit {
	numbered := make([]Source, len(r.Cited))
	for i, at := range r.Cited {
		numbered[i] = Source{Key: strconv.Itoa(i + 1), Text: sources[at].Text}
	}
	audit := Audit(r.Text, numbered)
	for _, key := range r.Unknown {
		audit.Findings = append(audit.Findings, qed.CitationFinding{Kind: qed.UnknownKey, Text: prompt.Clip(key, maxKey)})
	}
	return audit
}

const maxKey = 50 // bytes

type auditor struct {
	sources map[string]*checked
	keys    []string // of sources, in their order
	style   figures.Style
	audit   qed.CitationAudit
}

// checked is a source with what sentences are compared with.
type checked struct {
	texts []string // normal, with and without joining the words that a line end divides and their hyphens, and without notes
	facts func() *facts
}

func check(s Source) *checked {
	c := &checked{texts: []string{normal(s.Text)}, facts: sync.OnceValue(func() *facts { return factsOf(hidden.Replace(s.Text)) })}
	joined := hyphenated.ReplaceAllString(s.Text, "$1$2")
	unmarked := wordNotes.ReplaceAllString(unnoted(raised.ReplaceAllStringFunc(joined, caret)), "$1")
	for _, other := range []string{joined, unmarked, hyphenated.ReplaceAllString(s.Text, "$1-$2")} {
		if other != s.Text {
			c.texts = append(c.texts, normal(other))
		}
	}
	return c
}

// facts are the numbers, dates and times of a source.
type facts struct {
	dates dateSet
	days  int // how many dates it names
	years years

	numbers    figures.Set
	values     map[float64]int       // how often it has a number
	articles   map[string]bool       // stems of nouns behind an article
	nouns      map[string]bool       // stems of nouns behind digits
	shares     map[float64]bool      // percentages, in thousandths
	lists      map[int]bool          // numbers of items of lists
	changes    map[bool]*figures.Set // by how many percent something rose (true) or fell
	steps      map[bool][]step       // by how much
	rates      map[float64]bool      // what 20 per 1,000 is of one
	rated      map[string]bool       // such as the 20
	counted    []counted
	things     map[string]bool // stems of the nouns of counted
	statements []statement
	periods    bool // a reader can compute periods from it

	dotted []string // what may be versions
	names  []named
	digits []string

	times      []clockTime
	spans      [][2]clockTime // 9:00 to 17:00
	zones      []string
	vagueTimes bool
	small      map[int]bool // numbers that can be those of hours
}

func factsOf(text string) *facts {
	c := &facts{values: map[float64]int{}}
	dates := datesOf(text)
	c.days = len(dates)
	c.readNumbers(text, dates)
	c.dates = dateSetOf(append(dates, otherDates(text)...))
	c.years = yearsOf(text)
	c.dotted = slices.Compact(slices.Sorted(slices.Values(dotted.FindAllString(text, -1))))
	c.digits = slices.Compact(slices.Sorted(slices.Values(numbersOfNames.FindAllString(text, -1))))
	c.names = namesIn(text, true)
	c.times, c.zones, c.vagueTimes = clockTimes(text), zones(text), vagueTime.MatchString(text)
	c.spans = spansOf(text, c.times)
	c.small = smallNumbers(text, dates, c.times)
	return c
}

// readNumbers reads the amounts of a source.
func (c *facts) readNumbers(text string, dates []date) {
	c.numbers.Add("", text)
	c.numbers.Add("", unnoted(spelled(text, figures.StyleOf(text))))
	for _, n := range implied(text) {
		c.numbers.Add("", n)
	}
	for scale, unit := range tableUnits {
		if unit.MatchString(text) {
			c.numbers.Add(scale, text)
		}
	}
	for _, d := range dates {
		if d.year > 0 {
			c.numbers.Add("", d.year)
		}
	}
	c.articles = articles(text)
	c.shares = lists.Set(percentages.FindAllStringSubmatch(text, -1), func(m []string) float64 { return math.Round(1000 * decimal(m[1])) })
	c.nouns = lists.Set(digitsBefore.FindAllStringSubmatch(text, -1), func(m []string) string { return stem(m[2]) })
	style := figures.StyleOf(text)
	c.counted = slices.Concat(inWords(text), inDigits(spelled(text, style)), compounds(text))
	for _, m := range hours.FindAllStringSubmatch(text, -1) {
		c.counted = append(c.counted, newCounted(1.5, false, m[1], m[0]))
	}
	c.things = lists.Set(c.counted, func(n counted) string { return n.noun })
	found := rates.FindAllStringSubmatch(text, -1)
	c.rates = lists.Set(found, rateOf)
	c.rated = lists.Set(found, func(m []string) string { return m[1] })
	c.changes, c.steps = map[bool]*figures.Set{true: {}, false: {}}, map[bool][]step{}
	begin := 0
	for _, end := range sentence.Ends(text) {
		if st := newStatement(text[begin:end]); len(st.counted) > 0 {
			c.statements = append(c.statements, st)
		}
		c.compare(text[begin:end], style)
		begin = end
	}
	for _, n := range numeral.Find(text) {
		c.values[float64(n.Value)]++
	}
	for _, digits := range amounts.FindAllString(text, -1) {
		if value, ok := decimalValue(digits); ok {
			c.values[value]++
		}
	}
	c.periods, c.lists = vaguePeriod.MatchString(text), listed(text)
}

var brackets = regexp.MustCompile(`\s*\[([^\[\]\n]{1,200})\]`)

// sentence checks one sentence with the quotations in it.
func (a *auditor) sentence(raw string, quotes []string) {
	s := finding{a: a, sentence: strings.Join(strings.Fields(raw), " ")}
	body := brackets.ReplaceAllStringFunc(raw, func(found string) string {
		inner := brackets.FindStringSubmatch(found)[1]
		keys, ok := cited(inner, func(key string) bool { return a.sources[key] != nil })
		if !ok {
			return found
		}
		for _, key := range keys {
			switch {
			case a.sources[key] == nil:
				s.add(qed.UnknownKey, key)
			case !slices.Contains(s.keys, key):
				s.keys = append(s.keys, key)
			}
		}
		return ""
	})
	body = strings.TrimSpace(body)
	table := strings.HasPrefix(body, "|")
	claim := isClaim(body) && (!table || len(s.keys) > 0)
	if claim {
		a.audit.Claims++
		if len(s.keys) == 0 {
			a.audit.Uncited++
			s.add(qed.Uncited, "")
		}
	}
	searched := s.keys
	if len(searched) == 0 {
		searched = a.keys
	}
	for _, q := range quotes {
		if !slices.ContainsFunc(searched, func(key string) bool {
			return slices.ContainsFunc(a.sources[key].texts, func(text string) bool { return verbatim(q, text) })
		}) {
			s.add(qed.WrongQuote, q)
		}
	}
	if len(s.keys) > 0 {
		s.figures(body)
	}
}

// isClaim reports whether a sentence states something.
func isClaim(s string) bool {
	if strings.HasPrefix(s, "#") || strings.HasSuffix(s, ":") {
		return false
	}
	if strings.HasSuffix(strings.TrimRight(s, `"”’“»«)*_ `), "?") {
		return false
	}
	words := lists.Filter(strings.Fields(s), func(w string) bool { return strings.ContainsFunc(w, unicode.IsLetter) })
	return len(words) >= 2 || strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

// A finding collects what is wrong with a sentence.
type finding struct {
	a        *auditor
	sentence string
	keys     []string // of the sources that it cites
}

func (s *finding) add(kind qed.CitationFindingKind, text string) {
	s.a.audit.Findings = append(s.a.audit.Findings, qed.CitationFinding{
		Kind: kind, Text: text, Sentence: s.sentence, Keys: slices.Clone(s.keys),
	})
}

// figures checks the dates, times and numbers of a sentence that cites sources.
func (s *finding) figures(body string) {
	body = body[sentence.Marker(body):]
	rest := []byte(body) // without its dates and times
	for _, d := range datesOf(body) {
		if !s.any(func(c *facts) bool { return c.hasDate(d) }) {
			s.add(qed.WrongDate, d.text)
		}
		blank(rest, d.begin, d.begin+len(d.text))
	}
	s.times(rest)
	for _, year := range statedYears(string(rest)) {
		if !s.any(func(c *facts) bool { return c.mayHaveYear(year) }) {
			s.add(qed.WrongDate, year)
		}
	}
	for _, v := range statedVersion.FindAllString(string(rest), -1) {
		if !s.any(func(c *facts) bool { return mayHaveVersion(c.dotted, v) }) {
			s.add(qed.WrongNumber, v)
		}
	}
	s.counts(string(rest))
	for _, n := range first(namesIn(string(rest), false)) {
		if !s.any(n.mayBe) && s.any(n.contradicts) {
			s.add(qed.WrongNumber, n.text)
		}
	}
	s.amounts(string(rest))
}

// times checks the times of day, and blanks them.
func (s *finding) times(rest []byte) {
	body := string(rest)
	named := zones(body)
	for _, t := range clockTimes(body) {
		blank(rest, t.begin, t.end)
		if lasting.MatchString(body[t.end:]) || hedgedTime.MatchString(body[max(0, t.begin-near):t.begin]) || s.any(t.mayBe) {
			continue
		}
		if s.any(func(c *facts) bool { return t.contradicts(c, named) }) {
			s.add(qed.WrongDate, body[t.begin:t.end])
		}
	}
	for _, m := range bareSpan.FindAllSubmatchIndex(rest, -1) {
		if s.any(func(c *facts) bool { return c.isOpen(body[m[2]:m[3]], body[m[4]:m[5]]) }) {
			blank(rest, m[0], m[1])
		}
	}
}

// counts checks the numbers in words, and the units.
func (s *finding) counts(body string) {
	all := first(inWords(body))
	within := newStatement(body)
	for _, n := range all {
		if !s.any(n.mayBe) && s.any(func(c *facts) bool { return n.contradicts(c, within) }) {
			s.add(qed.WrongNumber, n.text)
		}
	}
	for _, n := range append(all, first(inDigits(body))...) {
		has := func(c *facts) bool { return c.values[n.value] > 0 }
		right := func(c *facts) bool { return has(c) && !n.hasOtherUnit(c) || n.follows(c) }
		if !n.ordinal && n.unit.dimension != "" && s.any(has) && !s.any(right) {
			s.add(qed.WrongNumber, n.text)
		}
	}
}

// first returns the numbers of a sentence that are checked. More are no prose.
func first[T any](all []T) []T { return all[:min(len(all), maxPaired)] }

// amounts checks the numbers that package figures reads.
func (s *finding) amounts(body string) {
	body = s.withoutComputed(body)
	sets := lists.Map(s.keys, func(key string) *figures.Set { return &s.a.sources[key].facts().numbers })
	things := first(inDigits(body))
	one := oneOf.FindStringSubmatch(body)
	for i, n := range figures.Missing(body, s.a.style, sets...) {
		if n.Text == "1" && one != nil && s.any(func(c *facts) bool { return c.articles[stem(one[1])] }) {
			continue // a month
		}
		if len(n.Text) == 1 && n.Value > 1 && s.any(func(c *facts) bool { return c.mayList(n.Value, things) }) {
			continue // 4 members: A, B, C and D
		}
		if i >= maxPaired || !s.any(func(c *facts) bool { return c.says(n, body) }) {
			s.add(qed.WrongNumber, n.Text)
		}
	}
}

// withoutComputed checks the rates of a sentence, and blanks those that a source states as a
// share, or of another number of at least 100: 6 of 10 members are not 3 of 5. It blanks amounts
// in two units such as 1 hour and 30 minutes, too.
func (s *finding) withoutComputed(body string) string {
	for _, m := range first(rates.FindAllStringSubmatch(body, -1)) {
		if s.any(func(c *facts) bool { return len(m[2]) > 2 && c.rates[rateOf(m)] || c.shares[math.Round(rateOf(m)/1e5)] }) {
			body = strings.Replace(body, m[0], " ", 1)
		} else if len(m[2]) > 2 && s.any(func(c *facts) bool { return c.rated[m[1]] }) {
			s.add(qed.WrongNumber, m[0])
		}
	}
	for _, n := range first(compounds(body)) {
		if s.any(func(c *facts) bool { return slices.ContainsFunc(c.counted, n.near(0.01)) }) {
			body = strings.Replace(body, n.text, " ", 1)
		}
	}
	return body
}

// any reports whether one of the cited sources has a property.
func (s *finding) any(has func(*facts) bool) bool {
	return slices.ContainsFunc(s.keys, func(key string) bool { return has(s.a.sources[key].facts()) })
}

var (
	codeBlock   = regexp.MustCompile("(?s)```.*?(?:```|$)")
	centuryPart = regexp.MustCompile(`(?i)\b(mid|early|late)-(\d{4}s)\b`)
	codeSpan    = regexp.MustCompile("`[^`\n]+`")
)

// A quotation is a text within quotation marks.
type quotation struct {
	start, end int // with its marks
	text       string
}

// closing has the marks that end a quotation, by the mark that begins it.
var closing = map[rune]string{'“': "”", '„': "“”", '«': "»", '»': "«", '"': `"`, '‚': "‘’", '‹': "›", '「': "」"}

const maxQuotation = 2000 // bytes

// quotations returns the quotations of a text. A quotation ends in its paragraph.
func quotations(text string) (all []quotation) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		marks := closing[r]
		if marks == "" && r != '‘' {
			i += size
			continue
		}
		rest := text[i+size : min(len(text), i+size+maxQuotation)]
		if paragraph := strings.Index(rest, "\n\n"); paragraph >= 0 {
			rest = rest[:paragraph]
		}
		length := strings.IndexAny(rest, marks)
		if r == '‘' {
			length = singleEnd(rest)
		}
		if length < 0 || r == '"' && i > 0 && '0' <= text[i-1] && text[i-1] <= '9' { // inches
			i += size
			continue
		}
		end := i + size + length
		_, size = utf8.DecodeRuneInString(text[end:])
		end += size
		if quoted := rest[:length]; strings.ContainsFunc(quoted, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			all = append(all, quotation{i, end, strings.TrimSpace(quoted)})
		}
		i = end
	}
	return all
}

// singleEnd returns the length of a quotation of at least three words that ends with a
// single mark, and -1 if there is none. A mark behind an s or before a letter is an apostrophe,
// as in the users’ names.
func singleEnd(rest string) int {
	m := singleQuoted.FindStringSubmatchIndex(rest)
	if m == nil || strings.Count(rest[:m[3]], " ") < 2 {
		return -1
	}
	return m[3]
}

var singleQuoted = regexp.MustCompile(`^(\pL(?:[^‘’\n]|’\pL|s’)*[^‘’s\n])’(?:\PL|$)`)

// gaps match where a quotation leaves something out, or has the words of its author in
// brackets. An initial in brackets, [t]he, is only in another case.
var (
	gaps     = regexp.MustCompile(`\s*(?:\[[^\[\]]*\]|\((?:\.\.\.|…)\)|\.\.\.|…)\s*`)
	initials = regexp.MustCompile(`\[(\pL)\]`)
)

// verbatim reports whether the parts of a quotation are in a normal text, in their
// order.
func verbatim(quoted, text string) bool {
	for _, part := range gaps.Split(initials.ReplaceAllString(quoted, "$1"), -1) {
		part = strings.TrimRight(normal(part), " .,;:!?")
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// normal returns a text in the form in which quotations are compared. Marks of notes such
// as [12] are left out.
func normal(text string) string {
	text = notes.ReplaceAllString(raised.ReplaceAllStringFunc(links.ReplaceAllString(text, "$1"), caret), "")
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("*_`\u00ad\u200b\u200c\u200d\u2060\ufeff", r):
			return -1
		case strings.ContainsRune("“”„«»‟〝〞「」", r):
			return '"'
		case strings.ContainsRune("‘’‚‹›", r):
			return '\''
		case unicode.Is(unicode.Pd, r) || r == '−':
			return '-'
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
	return strings.Join(strings.Fields(text), " ")
}

// hidden removes characters within words that are not shown.
var hidden = strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "")

var (
	// hyphenated matches a word that is divided at the end of a line.
	hyphenated = regexp.MustCompile(`(\p{L})[ \t]?[-\x{ad}][ \t]*\r?\n\s*(\p{Ll})`)

	notes     = regexp.MustCompile(`\s?\[\d{1,3}\]`)
	wordNotes = regexp.MustCompile(`(\pL[.,;:]|\pL{3})[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	links     = regexp.MustCompile(`\[([^\[\]\n]*\pL[^\[\]\n]*)\]\([^()\s]*[./#][^()\s]*\)`) // of Markdown
)
