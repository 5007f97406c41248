package citation

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/sentence"
)

// implied returns the numbers that a source states in other forms than digits and
// cardinal numbers: as ordinals, fractions, Roman numerals, words such as "twice", and
// versions whose first number stands for all of them.
func implied(text string) (all []float64) {
	for _, n := range numeral.Find(text) {
		if n.Ordinal {
			all = append(all, float64(n.Value))
		}
	}
	joined := strings.ReplaceAll(text, "emi-annual", "emiannual")
	words := strings.FieldsFunc(joined, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		if strings.Trim(word, "IVXL") == "" {
			all = append(all, romanValue(word))
			continue
		}
		word = strings.ToLower(word)
		all = append(all, valuesOf[word]...)
		if parts := fractions[word]; parts > 0 {
			all = append(all, count(words[max(0, i-1)])/parts)
		}
		if before, ok := strings.CutSuffix(word, "einhalb"); ok {
			all = append(all, count(before)+0.5)
		}
		if before, ok := strings.CutSuffix(word, "fold"); ok && len(numeral.Find(before)) > 0 {
			all = append(all, count(before))
		}
		if word == "half" && i > 2 && words[i-1] == "a" && words[i-2] == "and" {
			all = append(all, count(words[i-3])+0.5)
		}
	}
	for _, m := range slashes.FindAllStringSubmatch(text, -1) {
		if part, whole := count(m[2]), count(m[3]); m[1] == "" && 0 < part && part < whole {
			all = append(all, part/whole)
		}
	}
	for _, m := range halves.FindAllStringSubmatch(text, -1) { // half a million
		all = append(all, 0.5*scales[strings.ToLower(m[1])])
	}
	for _, m := range partsOf.FindAllStringSubmatch(text, -1) { // a quarter of the 200
		all = append(all, decimal(m[2])/fractions[strings.ToLower(m[1])])
	}
	for _, m := range hundredths.FindAllStringSubmatch(text, -1) { // 50 cents
		all = append(all, decimal(m[1])/100)
	}
	for _, m := range powers.FindAllStringSubmatch(text, -1) { // 3×10^6
		exponent, _ := strconv.Atoi(norm.NFKC.String(strings.TrimPrefix(m[2], "^")))
		all = append(all, decimal(m[1])*math.Pow10(exponent))
	}
	for _, m := range majors.FindAllStringSubmatch(text, -1) {
		all = append(all, count(m[1]))
	}
	for _, m := range minors.FindAllStringSubmatch(text, -1) {
		all = append(all, decimal(m[1]))
	}
	return all
}

// listed returns how many items the lists and the enumerations of a source have.
func listed(text string) map[int]bool {
	all, items := map[int]bool{}, 0
	for line := range strings.Lines(text + "\n\n") {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed != "" && sentence.IsItem(trimmed):
			items++
		case trimmed == "" || line[0] != ' ' && line[0] != '\t': // no item in several lines
			all[items], items = true, 0
		}
	}
	for _, found := range enumerated.FindAllString(text, -1) {
		all[strings.Count(found, ", ")+2] = true
	}
	return all
}

// enumerated matches "A, B and C".
var enumerated = regexp.MustCompile(`(?:[^\s,;.:][^,;.:\n]{0,40}, ){1,8}[^,;.:\n]{1,40},? (?:and|und|or|oder) `)

// mayList reports whether a source lists as many things as a number of a sentence counts, and
// states no number of them. What is measured is not listed.
func (c *facts) mayList(value float64, things []counted) bool {
	found := false
	for _, n := range things {
		if n.value == value && !n.ordinal {
			if found = true; n.unit.dimension != "" || measures[n.noun] || c.things[n.noun] {
				return false
			}
		}
	}
	return found && c.lists[int(value)]
}

// compare adds by how much something rose or fell in a sentence: "from $100m to $120m" is a
// growth of 20 %.
func (c *facts) compare(sentence string, style figures.Style) {
	for _, change := range changeFrom.Split(sentence, -1)[1:] {
		parts := changeTo.Split(change, 2)
		before, after := figures.Find(parts[0], style), figures.Find(parts[len(parts)-1], style)
		if len(parts) == 2 && len(before) > 0 && len(after) > 0 { // from 0 the result is no number
			x, y := before[0].Value, after[0].Value
			c.changes[y > x].Add("", math.Abs(100*y/x-100))
			if i := strings.Index(parts[1], after[0].Text); i >= 0 && !after[0].Percent {
				c.steps[y > x] = append(c.steps[y > x], step{math.Abs(y - x), nounOf(parts[1], i, i+len(after[0].Text))})
			}
		}
	}
}

var (
	changeFrom = regexp.MustCompile(`(?i)\b(?:from|von)\s`)
	changeTo   = regexp.MustCompile(`(?i)\s(?:to|auf)\s`)

	rising = regexp.MustCompile(`(?i)\b(?:rose|risen|rises?|rising|grew|grown?|grows|growth|growing|increas\w+|gain\w*|climb\w*|up (?:by )?\d|` +
		`st(?:ieg|eig)\w*|gestiegen|wuchs\w*|wächst|wachs\w*|gewachsen|Anstieg|Zunahme|erhöht\w*)`)
	falling = regexp.MustCompile(`(?i)\b(?:fell|fall\w*|drop\w*|declin\w+|decreas\w+|shr[aiu]nk\w*|reduc\w+|down (?:by )?\d|` +
		`s[aiu]nk\w*|gesunken|fiel\w*|fäll\w*|gefallen|Rückgang|Abnahme|verringert\w*)`)
)

// count returns the value of digits or of a number in words, and 1 for anything else.
func count(text string) float64 {
	if n, err := strconv.Atoi(text); err == nil {
		return float64(n)
	}
	if found := numeral.Find(text); len(found) == 1 && !found[0].Ordinal {
		return float64(found[0].Value)
	}
	return 1
}

// valuesOf has the numbers that words other than numerals state.
var valuesOf = func() map[string][]float64 {
	all := map[string][]float64{}
	for _, list := range []struct {
		words  string
		values []float64
	}{
		{"no none nil kein keine keinen keinem keiner keines", []float64{0}},
		{"once single einmal einmalig einmalige einmaligen", []float64{1}},
		{"both pair pairs couple beide beiden beider", []float64{2}},
		{"twice double doubles doubled doubling doppelt doppelte doppelten verdoppelt verdoppelte verdoppelten", []float64{2, 1}},
		{"thrice triple tripled dreifach dreifache dreifachen verdreifacht", []float64{3, 2}},
		{"dozen dozens dutzend", []float64{12}},
		{"decade decades jahrzehnt jahrzehnte jahrzehnten", []float64{10}},
		{"century centuries jahrhundert jahrhunderte jahrhunderten", []float64{100}},
		{"fortnight fortnightly", []float64{14, 2}},
		{"half halbe halbes halben halbjahr halbjährlich halbjährig", []float64{6}}, // of a year
		{"quarter quartal quartale vierteljahr", []float64{3}},
		{"quarterly vierteljährlich", []float64{3, 4}},
		{"semiannual semiannually biannual biannually", []float64{6, 2}},
		{"anderthalb", []float64{1.5}},
	} {
		for word := range strings.FieldsSeq(list.words) {
			all[word] = list.values
		}
	}
	return all
}()

// fractions has into how many parts a word divides.
var fractions = func() map[string]float64 {
	all := map[string]float64{}
	for i, words := range []string{
		"half halves halb halbe halber halbes halben hälfte hälften", "third thirds drittel dritteln",
		"quarter quarters fourth fourths viertel vierteln", "fifth fifths fünftel", "sixth sixths sechstel",
		"seventh sevenths siebtel", "eighth eighths achtel", "ninth ninths neuntel", "tenth tenths zehntel",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = float64(i + 2)
		}
	}
	all["dozen"], all["dutzend"] = 1.0/12, 1.0/12
	return all
}()

// says reports whether a source has an amount of a sentence in another form: 21 days as three
// weeks, 18.30 as 18:30, and that 13 % are not as that 87 % are.
func (c *facts) says(n figures.Number, sentence string) bool {
	i := strings.Index(sentence, n.Text)
	if i < 0 {
		return false
	}
	behind := sentence[i+len(n.Text):]
	if points.MatchString(behind) || strings.HasSuffix(n.Text, "percentage") || strings.HasSuffix(n.Text, "Prozentpunkte") {
		for share := range c.shares {
			if c.shares[share-math.Round(1000*math.Abs(n.Value))] {
				return true
			}
		}
		return false
	}
	up, down := rising.MatchString(sentence), falling.MatchString(sentence)
	if n.Percent {
		rest := strconv.FormatFloat(100-n.Value, 'f', -1, 64) + " %"
		return n.Value < 100 && others.MatchString(sentence) && len(c.numbers.Missing(rest, figures.PointDecimal)) == 0 ||
			c.rates[math.Round(1e8*n.Value)] ||
			up != down && len(c.changes[up].Missing(strconv.FormatFloat(math.Abs(n.Value), 'f', -1, 64), figures.PointDecimal)) == 0
	}
	noun := nounOf(sentence, i, i+len(n.Text))
	if up != down && slices.ContainsFunc(c.steps[up], func(by step) bool { return by.is(math.Abs(n.Value), noun) }) {
		return true
	}
	if m := pointed.FindStringSubmatch(n.Text); m != nil {
		at := clockTimes(m[1] + ":" + m[2])
		return len(at) == 1 && slices.ContainsFunc(c.times, func(t clockTime) bool { return t.seconds == at[0].seconds })
	}
	digits := amounts.FindString(sentence[i:])
	if whole := strings.NewReplacer(".", "", ",", "").Replace(digits); grouped.MatchString(digits) && len(c.numbers.Missing(whole, figures.PointDecimal)) == 0 {
		return true // in the style of another language
	}
	m := nounBehind.FindStringSubmatch(sentence[i+len(digits):])
	if m != nil && slices.Contains([]string{"cent", "basi", "basispunkt"}, stem(m[1])) { // 8 basis points
		return len(c.numbers.Missing(strconv.FormatFloat(n.Value/100, 'f', -1, 64), figures.PointDecimal)) == 0
	}
	if m == nil || units[stem(m[1])].dimension == "" {
		return false
	}
	u := units[stem(m[1])]
	if u.dimension == "time" && c.hasSpan(n.Value*u.size) {
		return true
	}
	is := (&counted{value: n.Value, unit: u}).near(0.01)
	for noun := range c.articles { // an hour
		if is(counted{value: 1, unit: units[noun]}) {
			return true
		}
	}
	for noun := range c.nouns { // 2,500 kg
		other := units[noun]
		value := strconv.FormatFloat(n.Value*u.size/other.size, 'f', -1, 64)
		if other.dimension == u.dimension && other.size != u.size && len(c.numbers.Missing(value, figures.PointDecimal)) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(c.counted, is)
}

var (
	grouped = regexp.MustCompile(`^\d{1,3}[.,]\d{3}$`)
	pointed = regexp.MustCompile(`^(\d{1,2})\.([0-5]\d)$`)

	// others matches words for what a percentage is not about.
	others = regexp.MustCompile(`(?i)(?:^|\PL)(?:not|never|no|remaining|remainder|rest|others?|without|fail\w*|nicht|übrige[nrs]?|restliche[nrs]?|` +
		`andere[nrs]?|ohne|keine[nrs]?)(?:\PL|$)|n['’]t\b`)
)

// decimal returns the value of digits, which may have a point or a comma.
func decimal(digits string) float64 {
	value, _ := strconv.ParseFloat(strings.Replace(digits, ",", ".", 1), 64)
	return value
}

const (
	digits = `\d+(?:[.,]\d+)?`
	small  = `one|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn`
)

var (
	slashes = regexp.MustCompile(`(?i)(?:\b(page|part|step|chapter|slide|section|seite|teil|schritt|kapitel|folie) )?\b(\d{1,2}|` + small + `) ?(?:[/⁄]|out of|of|in|von) ?(\d{1,2}|` + small + `)\b`)

	halves     = regexp.MustCompile(`(?i)\b(?:half an?|halbe) (dozen|hundred|thousand|million|billion|milliarde)\b`)
	partsOf    = regexp.MustCompile(`(?i)\b(half|thirds?|quarter|fifth|hälfte|drittel|viertel|fünftel) (?:of|von|der) (?:the |all |den |allen )?(` + digits + `)\b`)
	hundredths = regexp.MustCompile(`(?i)\b(` + digits + `) ?(?:cents?|pence)\b`)
	powers     = regexp.MustCompile(`\b(` + digits + `) ?[×x·*] ?10 ?(\^\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})`)
	hours      = regexp.MustCompile(`(?i)\b(?:an?|eine?) (\pL+) and a half\b`)

	percentages = regexp.MustCompile(`(?i)(` + digits + `) ?(?:%|percent\b|per cent\b|prozent\b)`)
	points      = regexp.MustCompile(`(?i)^ ?(?:percentage points?|prozentpunkte?n?)\b`)

	scales = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "milliarde": 1e9}

	// majors match a name with a version, such as Python 3.11.
	majors = regexp.MustCompile(`\b\p{Lu}\pL*\p{Ll}\pL*[ -]v?(\d+)\.\d`)
	minors = regexp.MustCompile(`\b\p{Lu}\pL*\p{Ll}\pL*[ -]v?(\d+\.\d+)\.\d{1,3}\b`) // Python 3.11.4 is a 3.11
)

// tableUnits match in what the numbers of a table are counted, by the name of the scale: in EUR
// million, (T€).
var tableUnits = map[string]*regexp.Regexp{
	"thousand": tableUnit(`thousands?|tausend|tsd|k`, `[tk]`),
	"million":  tableUnit(`millions?|millionen|mio|mn|m`, `m`),
	"billion":  tableUnit(`billions?|milliarden|mrd|bn`, `b`),
}

func tableUnit(words, letter string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\bin |(?:\b(?:in|of) (?:eur|usd|gbp|chf|us\$)|[€$£]) ?)(?:` + words + `)\b|\b` + letter + `(?:€|eur\b)`)
}

func romanValue(roman string) (value float64) {
	digits := map[byte]float64{'I': 1, 'V': 5, 'X': 10, 'L': 50}
	for i := range roman {
		v := digits[roman[i]]
		if i+1 < len(roman) && digits[roman[i+1]] > v {
			v = -v
		}
		value += v
	}
	return value
}

// articles returns the first letters of the two words after each article of a source: "a
// month" and "eine kurze Frist" state the number 1 of these things.
func articles(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range article.FindAllStringSubmatch(text, -1) {
		all[stem(m[1])], all[stem(m[2])] = true, true
	}
	return all
}

var (
	article = regexp.MustCompile(`(?i)\b(?:an?|every|each|per|pro|eine?[nrms]?|jede[nrms]?)[ -]\(?(\pL+)(?:[ -](\pL+))?`)
	oneOf   = regexp.MustCompile(`\b1[ -](\pL+)`)
)

// stem returns a noun in lower case without the ending of its plural or its case.
func stem(noun string) string {
	noun = strings.ToLower(noun)
	if short := strings.TrimRight(noun, "ens"); len(short) > 1 {
		return short
	}
	return noun
}
