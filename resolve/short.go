package resolve

import "strings"

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

// Abbreviations are what words stand for: by an abbreviation its words, and by each of these its abbreviations.
// Those of fields are none in a name: Max Foods is not Maximum Foods.
var (
	abbreviations      = readShort(shortInNames)
	fieldAbbreviations = readShort(shortInNames + "," + shortInFields)
)

func readShort(list string) map[string][]string {
	of := map[string][]string{}
	for entry := range strings.SplitSeq(list, ",") {
		words := strings.Fields(entry)
		for _, w := range words[1:] {
			of[words[0]], of[w] = append(of[words[0]], w), append(of[w], words[0])
		}
	}
	return of
}
