package dates

import (
	"strings"
	"time"

	"github.com/qedkit/qed/internal/wordset"
)

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

// numbered returns the words of lines with their positions, from 1 on. A word "-"
// stands for none.
func numbered(lines ...string) map[string]int {
	m := map[string]int{}
	for _, line := range lines {
		for i, word := range strings.Fields(line) {
			m[word] = i + 1
		}
	}
	delete(m, "-")
	return m
}

// The words of the rules, in lower case.
var (
	days = map[string]int{
		"today": 0, "heute": 0, "yesterday": -1, "gestern": -1, "tomorrow": 1, "vorgestern": -2, "übermorgen": 2,
	}
	months = numbered(
		"january february march april may june july august september october november december",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jänner feber maerz - - - - - - - - -",
		"jan feb mar apr may jun jul aug sep oct nov dec",
		"- - mär - - - - - sept okt - dez")
	ordinals = numbered("1st 2nd 3rd 4th", "first second third fourth",
		"erste zweite dritte vierte", "ersten zweiten dritten vierten",
		"erster zweiter dritter vierter", "erstes zweites drittes viertes")
	numbers = numbered("- two three four five six seven eight nine ten eleven twelve",
		"- zwei drei vier fünf sechs sieben acht neun zehn elf zwölf")

	// relatives are words before a unit, and its distance from the present one.
	relatives = func() map[string]int {
		m := map[string]int{"last": -1, "this": 0, "current": 0, "next": 1}
		german := map[int]string{-2: "vorletzt", -1: "letzt vergangen vorig", 0: "dies aktuell laufend", 1: "nächst kommend"}
		for offset, stems := range german {
			for word := range wordset.Of(forms(stems)) {
				m[word] = offset
			}
		}
		return m
	}()
	units = map[string]unit{
		"week": week, "woche": week, "month": month, "monat": month, "monats": month,
		"quarter": quarter, "quartal": quarter, "quartals": quarter, "year": year, "jahr": year, "jahres": year,
		"geschäftsjahr": fiscalYear, "geschäftsjahres": fiscalYear,
	}
	counted = map[string]unit{
		"days": day, "tage": day, "tagen": day, "weeks": week, "wochen": week,
		"months": month, "monate": month, "monaten": month,
	}
	parts = map[string]unit{
		"quarter": quarter, "quartal": quarter, "quartals": quarter,
		"half": half, "halbjahr": half, "halbjahres": half, "hälfte": half,
	}
	toDate   = map[string]unit{"ytd": year, "qtd": quarter, "mtd": month}
	articles = wordset.Of("the der die das den dem des")
	yearName = wordset.Of("year years jahr jahre jahres jahren")
	ofWord   = wordset.Of("of des im in")
	fiscals  = wordset.Of("fiscal financial")

	rangeWords = wordset.Of("ab from between von vom zwischen")

	// leading are words before a time that change nothing, and onDay such words
	// before a day.
	leading = wordset.Of("the in during of for im in der die das den dem des für aus während")
	onDay   = wordset.Of("on am")

	// Before a time, precedes are words that make it another time, or that can.
	// After it, follows are.
	precedes = wordset.Of(`
		plus also auch rather eher latest earliest shortly just right long soon well kurz lange
		unmittelbar bald av af by to as at around about over within into than like from with per
		and or but nor via on up both each every all und oder aber sowie als wie mit zu zum zur
		von vom an auf bei um gegen über unter nach pro je jede jeden jedes alle ab bis vor am y
		unlike named called titled namens minus less abzüglich zuzüglich samt mitsamt statt anstatt anstelle omit omits omitting skip
		skips skipping ignore ignores ignoring bar barring save lacking out pre post ante upto uptil
		most much some bulk majority parts several few rolling trailing stand
		commencing effective dating originating running valid gültig wirksam wirkend
		herr herrn frau mr mrs ms miss mister dr
		his her its their whose s sein seine seinem seinen seiner seines ihr ihre ihrem ihren ihrer
		ihres deren dessen
		et e o ou en og och i a à na da di do du de del le la el les van z w od po`)
	follows = wordset.Of(`
		at um v n of des der each every jede jeden jedes bc bce ad to and or but nor on plus minus
		than und oder aber sowie an bis y et e o ou en og och i a à na als bar forward forwards
		going upward upwards hence seiner ihrer deren dessen`)

	// afterYear are words that show a number before them to be a year: a number
	// before a noun can be an amount.
	afterYear = wordset.Of(`
		vs versus compared than except by per for with were was is are did do does have has had
		who that which where when and or to nach pro je für mit wurden wurde war waren ist sind
		hat haben hatten und oder bis aus von`)

	// grouping are words before a unit that is no time, as in "per month".
	grouping = wordset.Of(`
		by per each every which what pro je nach jeden jede jedes jeder welcher welche welchem
		welchen welches`)

	// placed are words before "in 2000" that show the number to be a postal code.
	placed = wordset.Of("live lives lived living located based resident residing wohnen wohnt wohnhaft ansässig zip plz")

	dayWord = wordset.Of("day tag")

	// harmless are words that are made of units and name no time.
	harmless = wordset.Of("daily weekly monthly quarterly yearly headquarters",
		forms("täglich wöchentlich monatlich jährlich"), "täglich wöchentlich monatlich jährlich")

	// unitStems are in words about times, such as "midweek" and "Jahresende".
	unitStems = []string{"year", "month", "week", "quarter", "jahr", "monat", "woche", "quartal",
		"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"summer", "winter", "sommer", "herbst", "weihnacht", "pfingst", "ferien", "feiertag",
		"semester", "trimester", "tertial", "christmas", "holiday", "halloween", "valentin",
		"nachtschicht", "spätschicht", "frühschicht", "tagschicht", "overnight", "nighttime",
		"daytime", "lunch", "breakfast", "mittag", "oclock"}

	// dayEndings end ordinal numbers that are written in letters, from the 13th on.
	dayEndings = []string{"teenth", "ieth", "zehnte", "zehnten", "zehnter", "zigste", "zigsten",
		"zigster", "ßigste", "ßigsten", "ßigster", "ssigste", "ssigsten"}

	// doubtful are words that can be of a time or change what one means, also those of
	// other languages, which are next to a time in a mixed text. If a text has one that
	// no rule reads, the text is not read.
	doubtful = wordset.Of(
		forms("kein gleich selb dasselb dieselb derselb entsprechend restlich übrig"),
		forms("letzt vorig vorherig vergangen nächst kommend"),
		forms("ganz voll vollständig abgeschlossen fünft sechst siebt acht neunt zehnt elft zwölft"), `
		since until till til through thru throughout onward onwards beyond later earlier
		afterwards thereafter before after ago prior previous previously preceding following
		subsequent past coming upcoming recent recently vs versus compared compare compares
		comparing comparison relative against same corresponding respective except excepting
		excluding exclude excludes excluded included ausgeschlossen exclusive exclusively
		inclusively without not never no none neither t besides apart instead unless including
		inclusive roughly approximately approx circa ca almost nearly early late mid middle
		beginning begin begins start starts starting started end ends ending ended half halves
		final part portion rest remainder remaining outside inside between up so far now currently
		nowadays day days hour hours minute minutes decade decades century centuries fortnight
		semester semesters trimester season seasons period periods morning afternoon evening night
		noon midnight tonight pm spring summer autumn fall winter easter christmas xmas
		thanksgiving ramadan eid diwali hanukkah passover holiday holidays last this next ff q1 q2
		q3 q4 monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
		thurs fri sat sun seit bis ab vor danach später früher früh spät spätestens frühestens
		anfang anfangs mitte ende beginn beginnend hälfte außer ausser ohne nicht nie niemals kein
		weder noch sondern ausgenommen ausschließlich exklusive inklusive einschließlich
		einschliesslich inkl exkl verglichen vergleich vergleiche vergleichen gegenüber vgl etwa
		ungefähr rund zirka knapp fast jetzt derzeit momentan bislang bisher rest teil innerhalb
		außerhalb ausserhalb binnen zwischen zeitraum zeitpunkt stichtag dasselbe dieselbe
		derselbe gleich tag tage tagen tages tags uhr stunde stunden minuten nacht nachts abend
		abends morgen morgens mittag mittags vormittag vormittags nachmittag nachmittags sommer
		herbst frühling ostern weihnachten pfingsten silvester neujahr karneval fasching advent
		feiertag feiertage feiertagen ferien jahrzehnt saison vormonat vorquartal montag dienstag
		mittwoch donnerstag freitag samstag sonnabend sonntag heuer neulich kürzlich full complete
		completed whole close turn eve dawn opening outset onset peak fifth sixth seventh eighth
		ninth tenth twentieth difference differences differ differs change changes changed growth
		grow grew increase increased decrease decreased unterschied unterschiede unterscheiden
		veränderung wachstum schluss ultimo wende auftakt start desde hasta antes despues excepto
		salvo sin entre ano semana trimestre semestre pasado pasada ultimo ultima ayer hoy enero
		febrero marzo abril mayo junio julio septiembre octubre noviembre diciembre depuis jusqu
		jusque avant apres sauf hors sans annee semaine dernier derniere prochain hier janvier
		fevrier mars avril juin juillet aout septembre octobre novembre decembre fin dal dalla
		fino dopo prima tra fra escluso anno mese settimana scorso scorsa gennaio febbraio aprile
		maggio giugno luglio settembre ottobre dicembre ate depois janeiro fevereiro junho julho
		setembro outubro novembro dezembro vanaf sinds sedert tot voor behalve zonder tussen eind
		medio halverwege maand jaar kwartaal vorig vorige afgelopen maart mei till efter etter
		före innan indtil utom slutet mitten början slutningen kvartal förra sedan siden kadar
		önce sonra beri jälkeen ennen asti saakka przed rok roku sejak sebelum setelah sampai
		sehingga hingga akhir awal kara made
		eleventh twelfth ides untill upto uptil during während amid while zuvor davor daraufhin
		again wieder erneut ttm ltm ntm wtd fytd pytd lytd ly py vj vjm eom eoq eoy bom boq boy
		cumulative cumulated cumulatively kumuliert kumulierte kumulierten kumulierter kumulativ
		utc gmt cet cest est edt pst pdt bst eastern pacific timezone zeitzone ortszeit clock
		heiligabend muttertag vatertag oktoberfest oster osterfest ostergeschäft himmelfahrt
		fronleichnam olympics olympia pandemic pandemie lockdown hj kw cw wk`)
)

// numberedPart returns the part of a year that q1 to q4, h1 and h2 name.
func numberedPart(w string) (unit, int) {
	if len(w) != 2 || w[1] < '1' || w[1] > '4' {
		return 0, 0
	}
	switch n := int(w[1] - '0'); {
	case w[0] == 'q':
		return quarter, n
	case w[0] == 'h' && n <= 2:
		return half, n
	}
	return 0, 0
}

// A unit is a length of time in the calendar.
type unit int

const (
	day unit = iota + 1
	week
	month
	quarter
	half
	year
	fiscalYear
)

// add returns the day that is count units after t. A day that a month does not have
// becomes its last day.
func (u unit) add(t time.Time, count int) time.Time {
	switch u {
	case day:
		return t.AddDate(0, 0, count)
	case week:
		return t.AddDate(0, 0, 7*count)
	case quarter:
		count *= 3
	case half:
		count *= 6
	case year, fiscalYear:
		count *= 12
	}
	first := date(t.Year(), int(t.Month())+count, 1)
	if t.Day() == 1 {
		return first
	}
	last := first.AddDate(0, 1, -1).Day()
	return date(first.Year(), int(first.Month()), min(t.Day(), last))
}

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
