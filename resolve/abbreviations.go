package resolve

import "strings"

// An entry is an abbreviation and the words that it stands for.
const (
	shortInNames = `st saint street, ste sainte, mt mount, ft fort, pt port point, ave avenue, rd road,
		intl international, natl national, term terminal, trml terminal, ctr center centre, cntr container center,
		apt airport, hbr harbour harbor, dept department, univ university, hosp hospital, govt government,
		co company, corp corporation, inc incorporated, ltd limited, bros brothers, mfg manufacturing,
		svc service, svcs service services, mgmt management, tech technology, logis logistics, shpg shipping,
		n north, s south, e east, w west`

	shortInFields = `qty quantity, amt amount, avg average, num number, no number, nr number, desc description,
		addr address, dt date, ts timestamp time, cust customer, prod product, acct account, ref reference,
		pct percent percentage, temp temperature, wt weight, vol volume, dest destination, orig origin, arr arrival,
		dep departure, hr hour, hrs hour hours, min minute minimum, max maximum`
)

// These map an abbreviation to its words, and each of these words to its
// abbreviations. The ones for fields are not used in names: Max Foods is not
// Maximum Foods.
var (
	nameAbbreviations  = readAbbreviations(shortInNames)
	fieldAbbreviations = readAbbreviations(shortInNames + "," + shortInFields)
)

func readAbbreviations(list string) map[string][]string {
	of := map[string][]string{}
	for entry := range strings.SplitSeq(list, ",") {
		short, long, _ := strings.Cut(strings.TrimSpace(entry), " ")
		for w := range strings.FieldsSeq(long) {
			of[short], of[w] = append(of[short], w), append(of[w], short)
		}
	}
	return of
}
