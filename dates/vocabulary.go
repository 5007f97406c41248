package dates

import (
	"strings"
	"time"
)

// list returns the words of a text as a set.
func list(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// forms returns German adjectives with all their endings.
func forms(stems string) string {
	var b strings.Builder
	for _, stem := range strings.Fields(stems) {
		for _, ending := range []string{"e", "en", "er", "es", "em"} {
			b.WriteString(" " + stem + ending)
		}
	}
	return b.String()
}

// The words of the rules, in lower case.
var (
	thisWords  = list("this current" + forms("dies aktuell laufend"))
	lastWords  = list("last previous prior" + forms("letzt vergangen vorig vorherig"))
	nextWords  = list("next coming upcoming" + forms("nächst naechst kommend"))
	pastWords  = list("past")
	beforeLast = list(forms("vorletzt"))

	todayWords = map[string]int{
		"today": 0, "heute": 0, "yesterday": -1, "gestern": -1, "tomorrow": 1, "morgen": 1,
		"vorgestern": -2, "übermorgen": 2, "uebermorgen": 2,
	}
	// notTomorrow are words after which "morgen" is a part of the day.
	notTomorrow = list("guten gestern heute am den der jeden dem eines vorgestern montag dienstag mittwoch donnerstag " +
		"freitag samstag sonntag")

	sinceWords   = list("since seit")
	beforeWords  = list("before vor")
	untilWords   = list("until till through bis")
	afterWords   = list("after nach")
	fromWords    = list("from between von vom zwischen")
	toWords      = list("to until till through and bis und")
	listWords    = list("and und or oder to bis vs versus with mit")
	articles     = list("the of in im den dem der des die das zum am")
	yearPrefixes = list("in im year jahr jahre jahres since seit during")
	inWords      = list("in im during")
	ofWords      = list("of des in im from vom")
	fiscalWords  = list("fiscal financial")
	fiscalYears  = list("fy gj geschäftsjahr geschäftsjahres geschäftsjahrs geschaeftsjahr geschaeftsjahres wirtschaftsjahr " +
		"wirtschaftsjahres fiskaljahr fiskaljahres")
	fiscalQuarters = list("geschäftsquartal geschäftsquartals geschaeftsquartal")
	quarterWords   = list("quarter quartal quartals quartale")
)

// A unit is a length of time in the calendar.
type unit int

const (
	noUnit unit = iota
	day
	week
	month
	quarter
	year
	fiscalQuarterUnit
	fiscalYearUnit
)

// oneOf are the units in the singular, for "last week"; manyOf are those with a
// number, for "last 3 weeks".
var (
	oneOf = units("week woche", "month monat monats monates", "quarter quartal quartals", "year jahr jahres jahrs")

	manyOf = with(units("week weeks woche wochen", "month months monat monate monaten", "quarter quarters quartal quartale quartalen",
		"year years jahr jahre jahren"), day, "day days tag tage tagen")
)

func units(weeks, months, quarters, years string) map[string]unit {
	return with(with(with(with(map[string]unit{}, week, weeks), month, months), quarter, quarters), year, years)
}

func with(m map[string]unit, u unit, words string) map[string]unit {
	for _, word := range strings.Fields(words) {
		m[word] = u
	}
	return m
}

// wholeWords are single words and their time relative to today.
var wholeWords = map[string]struct {
	unit   unit
	offset int
}{
	"vorwoche": {week, -1}, "vormonat": {month, -1}, "vormonats": {month, -1}, "vorquartal": {quarter, -1},
	"vorquartals": {quarter, -1}, "vorjahr": {year, -1}, "vorjahres": {year, -1}, "vorjahrs": {year, -1},
}

// toDate are abbreviations and German words for "since the unit began".
var toDate = map[string]unit{
	"ytd": year, "qtd": quarter, "mtd": month, "wtd": week,
	"jahresbeginn": year, "jahresanfang": year, "quartalsbeginn": quarter, "quartalsanfang": quarter,
	"monatsbeginn": month, "monatsanfang": month, "wochenbeginn": week, "wochenanfang": week,
}

var numbers = func() map[string]int {
	m := map[string]int{"beiden": 2}
	for _, words := range []string{
		"one two three four five six seven eight nine ten eleven twelve",
		"ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
		"eine - - - - - - - - - - -", "einem - - - - - - - - - - -", "einer - - - - - - - - - - -",
		"- - - - fuenf - - - - - - zwoelf",
	} {
		for i, word := range strings.Fields(words) {
			m[word] = i + 1
		}
	}
	delete(m, "-")
	return m
}()

var ordinals = func() map[string]int {
	m := map[string]int{"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}
	for i, stem := range []string{"erst", "zweit", "dritt", "viert"} {
		for _, word := range strings.Fields(forms(stem)) {
			m[word] = i + 1
		}
	}
	return m
}()

var months = func() map[string]time.Month {
	m := map[string]time.Month{}
	for _, words := range []string{
		"january february march april may june july august september october november december",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jänner feber maerz - - - - - - - - -",
		"jan feb mar apr may jun jul aug sep oct nov dec",
		"- - mär - - - - - sept okt - dez",
	} {
		for i, word := range strings.Fields(words) {
			m[word] = time.Month(i + 1)
		}
	}
	delete(m, "-")
	return m
}()

var weekdays = func() map[string]time.Weekday {
	m := map[string]time.Weekday{"sonnabend": time.Saturday}
	for _, words := range []string{
		"sunday monday tuesday wednesday thursday friday saturday",
		"sonntag montag dienstag mittwoch donnerstag freitag samstag",
	} {
		for i, word := range strings.Fields(words) {
			m[word] = time.Weekday(i)
		}
	}
	return m
}()
