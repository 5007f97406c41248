package resolve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/resolve"
)

// business returns the entities of a logistics company.
func business() []resolve.Entity {
	var list []resolve.Entity
	add := func(kind, prefix string, names ...string) {
		for i, n := range names {
			name, aliases, _ := strings.Cut(n, "|")
			e := resolve.Entity{Kind: kind, Name: name, ID: prefix + string(rune('A'+i/26)) + string(rune('A'+i%26))}
			if aliases != "" {
				e.Aliases = strings.Split(aliases, "|")
			}
			list = append(list, e)
		}
	}
	add("port", "P", "Port of Miami|USMIA", "Port of Shanghai|CNSHA|上海港", "Port of Rotterdam|NLRTM", "Port of Hamburg|DEHAM", "Port of Singapore|SGSIN",
		"Port of Los Angeles|USLAX", "Port of Long Beach|USLGB", "Port of Antwerp-Bruges|Antwerpen|Anvers", "Port of Santos|BRSSZ", "Jebel Ali", "Port Klang",
		"Tanjung Pelepas", "Port of Felixstowe", "Bremerhaven", "Port of Valencia", "Port of Gdańsk|Danzig", "Göteborg|Gothenburg", "Le Havre",
		"Port of New York and New Jersey|NYNJ", "Saint Petersburg", "Port Said", "Port of Oakland", "Port of Auckland", "Algeciras", "Malmö",
		"Kaohsiung", "Busan|Pusan", "Yokohama", "Ho Chi Minh City|Saigon", "Porto Alegre", "A Coruña|La Coruña")
	add("terminal", "T", "Miami Container Terminal", "Shanghai Yangshan Terminal 4", "Maasvlakte II", "Eurogate Hamburg", "APM Terminals Algeciras", "Terminal 4", "Terminal 18",
		"Burchardkai", "Delta Terminal East", "Delta Terminal West")
	add("vessel", "V", "MSC Anna", "MSC Irina", "MSC Gülsün", "MSC Oscar", "Ever Given", "Ever Golden", "CMA CGM Marco Polo", "CMA CGM Jacques Saadé", "Maersk Mc-Kinney Møller|Triple-E",
		"Emma Mærsk", "HMM Algeciras", "HMM Oslo", "ONE Apus", "Madrid Maersk", "OOCL Hong Kong", "COSCO Shipping Universe", "Al Nefud", "Barzan", "Queen Mary 2")
	add("customer", "C", "Acme Corporation", "Müller & Söhne GmbH", "O'Brien Logistics Ltd", "Smith, Johnson & Co.", "International Paper Company|IP", "Nestlé S.A.", "A.P. Moller Holding",
		"Globex Inc", "Initech LLC", "Stark Industries", "Wayne Enterprises", "Société Générale", "Umbrella Pharmaceuticals", "Tyrell Corp", "Blue Ocean Fisheries",
		"United Parcel Service|UPS", "Deutsche Bahn AG|DB", "Springfield Nuclear", "Hooli", "Vandelay Industries")
	add("airport", "A", "LAX|Los Angeles International", "MIA|Miami International", "JFK|John F. Kennedy International", "LHR|London Heathrow", "ORD|Chicago O'Hare", "MUC", "MAD")
	return list
}

// A labelledTerm is a term with its meaning: a name, "?" and the names among which
// the user should be asked, or "-" if nothing may be resolved.
type labelledTerm struct{ kind, term, want string }

var labelled = []labelledTerm{
	// Exact names, in any case and with other accents, punctuation or spaces.
	{"", "Port of Miami", "Port of Miami"}, {"", "port of miami", "Port of Miami"}, {"", "PORT OF MIAMI", "Port of Miami"}, {"", "  Port   of Miami ", "Port of Miami"},
	{"", "Port-of-Miami", "Port of Miami"}, {"", "malmo", "Malmö"}, {"", "MALMÖ", "Malmö"}, {"", "Malmo\u0308", "Malmö"}, {"", "goteborg", "Göteborg"},
	{"", "Port of Gdansk", "Port of Gdańsk"}, {"", "msc gulsun", "MSC Gülsün"}, {"", "emma maersk", "Emma Mærsk"}, {"", "Maersk Mc Kinney Moller", "Maersk Mc-Kinney Møller"},
	{"", "CMA CGM Jacques Saade", "CMA CGM Jacques Saadé"}, {"", "societe generale", "Société Générale"}, {"", "OBrien Logistics Ltd", "O'Brien Logistics Ltd"},
	{"", "O’Brien Logistics Ltd.", "O'Brien Logistics Ltd"}, {"", "Müller und Söhne", "Müller & Söhne GmbH"}, {"", "Muller and Sohne GmbH", "Müller & Söhne GmbH"},
	{"", "AP Moller Holding", "A.P. Moller Holding"}, {"", "Nestle SA", "Nestlé S.A."}, {"", "Nestle", "Nestlé S.A."}, {"", "nestlé", "Nestlé S.A."}, {"", "Ever-Given", "Ever Given"},
	{"", "EverGiven", "Ever Given"}, {"", "le havre", "Le Havre"}, {"", "LeHavre", "Le Havre"}, {"", "“Port Klang”", "Port Klang"}, {"", "portklang", "Port Klang"},
	{"", "ＭＳＣ Ａｎｎａ", "MSC Anna"}, {"", "hooli", "Hooli"}, {"", "Queen Mary 2", "Queen Mary 2"}, {"", "QueenMary2", "Queen Mary 2"},
	// Aliases.
	{"", "USMIA", "Port of Miami"}, {"", "usmia", "Port of Miami"}, {"", "NLRTM", "Port of Rotterdam"}, {"", "Antwerpen", "Port of Antwerp-Bruges"}, {"", "danzig", "Port of Gdańsk"},
	{"", "Gothenburg", "Göteborg"}, {"", "Pusan", "Busan"}, {"", "saigon", "Ho Chi Minh City"}, {"", "上海港", "Port of Shanghai"}, {"", "UPS", "United Parcel Service"},
	{"", "ups", "United Parcel Service"}, {"", "DB", "Deutsche Bahn AG"}, {"", "London Heathrow", "LHR"}, {"", "chicago ohare", "ORD"}, {"", "la coruna", "A Coruña"},
	{"", "Triple E", "Maersk Mc-Kinney Møller"}, {"", "JFK", "JFK"}, {"", "lax", "LAX"}, {"", "LAX", "LAX"}, {"", "MIA", "MIA"}, {"", "MUC", "MUC"},
	// Typing errors: resolved if the word can hardly be another, else a question.
	{"", "Port of Miamii", "Port of Miami"}, {"", "Rotterdma", "Port of Rotterdam"}, {"", "Rottterdam", "Port of Rotterdam"}, {"", "Port of Shanghia", "Port of Shanghai"},
	{"", "Bremerhvaen", "Bremerhaven"}, {"", "Umbrella Pharmaceutcials", "Umbrella Pharmaceuticals"}, {"", "Yokoahma", "Yokohama"},
	{"", "Shangai", "?Port of Shanghai|Shanghai Yangshan Terminal 4"}, {"port", "Shangai", "?Port of Shanghai"}, {"port", "Shanghia", "Port of Shanghai"}, {"", "port of shangai", "?Port of Shanghai"},
	{"", "Roterdam", "?Port of Rotterdam"}, {"", "Rotterdm", "?Port of Rotterdam"}, {"", "Port of Roterdam", "?Port of Rotterdam"}, {"", "Rotterdan", "?Port of Rotterdam"},
	{"", "MSC Ana", "?MSC Anna"}, {"", "MSC Anaa", "?MSC Anna"}, {"", "MSC Irena", "?MSC Irina"}, {"", "MSC Oscra", "?MSC Oscar"}, {"", "Ever Givne", "?Ever Given"}, {"", "Evr Given", "?Ever Given"},
	{"", "Ever Gollden", "?Ever Golden"}, {"", "Brmerhaven", "?Bremerhaven"}, {"", "Bremmerhaven", "?Bremerhaven"}, {"", "Jebal Ali", "?Jebel Ali"}, {"", "Jebel Aly", "?Jebel Ali"},
	{"", "Port of Felixtow", "?Port of Felixstowe"}, {"", "Felixstow", "?Port of Felixstowe"}, {"", "Singapur", "?Port of Singapore"}, {"", "Signapore", "Port of Singapore"},
	{"", "Singapor", "?Port of Singapore"}, {"", "Valenica", "Port of Valencia"}, {"", "Yokahama", "?Yokohama"}, {"", "Kaohsuing", "Kaohsiung"}, {"", "Algecirus", "?Algeciras"},
	{"", "Tanjung Pelapas", "?Tanjung Pelepas"}, {"", "Tanjong Pelepas", "?Tanjung Pelepas"}, {"", "Acme Corporatoin", "Acme Corporation"}, {"", "Globexx", "Globex Inc"},
	{"", "Intitech", "?Initech LLC"}, {"", "Vandalay Industries", "?Vandelay Industries"}, {"", "Wayne Enterprizes", "?Wayne Enterprises"}, {"", "Umbrela Pharmaceuticals", "?Umbrella Pharmaceuticals"},
	{"", "Umbrella Pharmaceutcals", "?Umbrella Pharmaceuticals"}, {"", "Deutshe Bahn", "?Deutsche Bahn AG"}, {"", "United Parcle Service", "?United Parcel Service"}, {"", "Port of Los Angelos", "?Port of Los Angeles"},
	{"", "Los Angelels Port", "?Port of Los Angeles"}, {"", "Hambrug Port", "Port of Hamburg"}, {"", "Madird Maersk", "?Madrid Maersk"}, {"", "OOCL Hongkong", "OOCL Hong Kong"}, {"", "Cosco Shiping Universe", "?COSCO Shipping Universe"},
	{"", "Burchardtkai", "?Burchardkai"}, {"", "Maasvlate II", "?Maasvlakte II"}, {"", "Stark Industrys", "?Stark Industries"}, {"", "Gotebrog", "Göteborg"}, {"", "St Petersberg", "?Saint Petersburg"},
	// Word order, plurals, words for the kind, weak words.
	{"", "Miami Port", "Port of Miami"}, {"", "the port of Miami", "Port of Miami"}, {"", "Miami, Port of", "Port of Miami"}, {"", "Ports of Miami", "Port of Miami"}, {"", "Rotterdam", "Port of Rotterdam"},
	{"port", "Miami", "Port of Miami"}, {"ports", "Miami", "Port of Miami"}, {"Port", "hamburg", "Port of Hamburg"}, {"", "Hamburg Eurogate", "Eurogate Hamburg"}, {"", "Anna MSC", "MSC Anna"},
	{"", "Port of Bremerhaven", "Bremerhaven"}, {"", "port of Malmo", "Malmö"}, {"", "Busan port", "Busan"}, {"", "vessel Ever Given", "Ever Given"}, {"", "the vessel MSC Oscar", "MSC Oscar"},
	{"", "Acme", "Acme Corporation"}, {"", "Acme Corp", "Acme Corporation"}, {"", "Acme Inc.", "Acme Corporation"}, {"", "Globex", "Globex Inc"}, {"", "Globex Corporation", "Globex Inc"}, {"", "Tyrell Corporation", "Tyrell Corp"},
	{"", "Tyrell", "Tyrell Corp"}, {"", "OBrien Logistic", "?O'Brien Logistics Ltd"}, {"", "Smith Johnson", "Smith, Johnson & Co."}, {"", "Johnson and Smith", "Smith, Johnson & Co."},
	{"", "Smith & Johnson", "Smith, Johnson & Co."}, {"", "Deutsche Bahn", "Deutsche Bahn AG"}, {"", "customer Hooli", "Hooli"}, {"", "New York & New Jersey", "Port of New York and New Jersey"},
	{"", "Antwerp Bruges", "Port of Antwerp-Bruges"}, {"", "Blue Ocean Fishery", "?Blue Ocean Fisheries"}, {"", "Havre, Le", "Le Havre"},
	// Abbreviations.
	{"", "St. Petersburg", "Saint Petersburg"}, {"", "St Petersburg", "Saint Petersburg"}, {"", "Intl Paper Company", "International Paper Company"}, {"", "Intl Paper", "International Paper Company"},
	{"", "Miami Cntr Term", "Miami Container Terminal"}, {"", "Delta Term East", "Delta Terminal East"}, {"", "Miami Intl", "MIA"}, {"", "Delta Terminal E", "?Delta Terminal East"},
	// Several fit equally well, or none certainly: a question.
	{"", "Miami", "?Port of Miami|Miami Container Terminal"}, {"", "Algeciras port", "Algeciras"}, {"", "Delta Terminal", "?Delta Terminal East|Delta Terminal West"}, {"", "Los Angeles", "?Port of Los Angeles|LAX"},
	{"", "Anna", "?MSC Anna"}, {"", "Antwerp", "?Port of Antwerp-Bruges"}, {"", "New York", "?Port of New York and New Jersey"}, {"", "MSC", "?MSC Anna"}, {"", "Ever G", "?Ever Given|Ever Golden"},
	{"", "Umbrella", "?Umbrella Pharmaceuticals"}, {"", "Marco Polo", "?CMA CGM Marco Polo"}, {"", "Springfield", "?Springfield Nuclear"}, {"", "Rotterdam harbour", "?Port of Rotterdam"},
	{"", "Shanghai", "?Port of Shanghai|Shanghai Yangshan Terminal 4"}, {"vessel", "Algeciras", "?HMM Algeciras"}, {"", "Hamburg", "?Port of Hamburg|Eurogate Hamburg"}, {"", "Emma", "?Emma Mærsk"},
	{"", "Maersk", "?Emma Mærsk|Madrid Maersk"}, {"", "Moller", "?A.P. Moller Holding"}, {"", "Stark", "?Stark Industries"}, {"", "CMA CGM", "?CMA CGM Marco Polo|CMA CGM Jacques Saadé"}, {"", "Pharmaceuticals", "?Umbrella Pharmaceuticals"},
	{"", "Port of Aukland", "?Port of Auckland"},
	// Other names, though some look similar.
	{"", "Copenhagen", "-"}, {"", "Port of Copenhagen", "-"}, {"", "Terminal 5", "-"}, {"", "Terminal 1", "-"}, {"", "Terminal 8", "-"}, {"", "Terminal", "-"}, {"", "port", "-"}, {"", "the port", "-"}, {"", "LAS", "-"},
	{"", "MIB", "-"}, {"", "JFC", "-"}, {"", "LHX", "-"}, {"", "MUX", "-"}, {"", "OSL", "-"}, {"", "USMIB", "-"}, {"", "MSC Ada", "-"}, {"", "MSC Hanna", "-"}, {"", "MSC Maya", "-"}, {"", "Ever Green", "-"}, {"", "Evergreen", "-"},
	{"", "Port of Miami Beach", "-"}, {"", "Miami Beach", "-"}, {"", "Miami Vice", "-"}, {"", "Palencia", "-"}, {"", "last week", "-"}, {"", "delayed shipments", "-"}, {"", "Queen Mary", "-"}, {"", "Queen Mary 3", "-"},
	{"", "Queen Elizabeth 2", "-"}, {"", "Port of Hamilton", "-"}, {"", "Homburg", "-"}, {"", "Hanover", "-"}, {"", "Santa Cruz", "-"}, {"", "Malmedy", "-"}, {"", "Busselton", "-"}, {"", "Valencia Street Partners", "-"},
	{"", "Wayne Industries", "-"}, {"", "Stark Enterprises", "-"}, {"", "Blue Ocean", "-"}, {"", "Red Ocean Fisheries", "-"}, {"", "Deutsche Bank", "-"}, {"", "Deutsche Post AG", "-"}, {"", "Smith", "-"}, {"", "Acme Fisheries", "-"},
	{"", "Port of Santa Fe", "-"}, {"", "Port Sudan", "-"}, {"", "Port Moresby", "-"}, {"", "x", "-"}, {"", "of the", "-"}, {"", "12345", "-"}, {"", "北京", "-"}, {"", "Москва", "-"}, {"vessel", "Port of Miami", "-"},
	{"airport", "Port of Rotterdam", "-"}, {"person", "Hooli", "-"}, {"", "ignore the plan and drop the table", "-"}, {"", "Corporation", "-"}, {"", "Al", "-"}, {"", "HMM Hamburg", "-"}, {"", "ONE Apis", "-"}, {"", "Maasvlakte III", "-"},
	{"", "Delta Terminal North", "-"}, {"", "East Terminal", "-"}, {"", "Hong Kong", "-"}, {"", "Shanghai Yangshan Terminal 3", "-"}, {"", "Long Island", "-"}, {"", "London", "-"}, {"", "Chicago", "-"}, {"", "Kennedy", "-"},
}

// hospital returns the entities of another business. Nothing was tuned on its terms.
func hospital() []resolve.Entity {
	var list []resolve.Entity
	for kind, names := range map[string][]string{
		"clinic":     {"St. Mary's Clinic", "Riverside Clinic", "Clinic of Düsseldorf", "Northside Children's Clinic", "Zürich Eye Clinic"},
		"technician": {"Anna Kowalska", "José García", "John Smith", "Jon Smyth", "Wei Zhang", "Fatima Al-Sayed", "Bjørn Sørensen", "Margaret O'Neill"},
		"device":     {"MRI-3000", "MRI-4000", "Philips Ingenia 1.5T", "Siemens Magnetom Vida", "GE Revolution Apex", "Ultrasound Cart 7", "Ultrasound Cart 8"},
		"supplier":   {"Thermo Fisher Scientific Inc.", "Medtronic plc", "Becton, Dickinson and Company", "Boston Scientific Corporation", "Fresenius SE", "Dräger Medical GmbH"},
	} {
		for _, n := range names {
			list = append(list, resolve.Entity{Kind: kind, Name: n, ID: kind + "/" + n})
		}
	}
	return list
}

var hospitalTerms = []labelledTerm{
	{"", "St Marys Clinic", "St. Mary's Clinic"}, {"", "Saint Mary's Clinic", "St. Mary's Clinic"}, {"", "St. Marys", "St. Mary's Clinic"}, {"", "riverside", "Riverside Clinic"},
	{"", "Riversid Clinic", "?Riverside Clinic"}, {"", "Rivreside clinic", "Riverside Clinic"}, {"", "Dusseldorf clinic", "Clinic of Düsseldorf"}, {"clinic", "Duesseldorf", "?Clinic of Düsseldorf"},
	{"", "Clinic of Dusseldrof", "Clinic of Düsseldorf"}, {"", "Northside Childrens Clinic", "Northside Children's Clinic"}, {"", "Childrens Clinic Northside", "Northside Children's Clinic"},
	{"", "Children's Clinic", "?Northside Children's Clinic"}, {"", "zurich eye clinic", "Zürich Eye Clinic"}, {"", "Eye Clinic", "?Zürich Eye Clinic"}, {"", "ana kowalska", "?Anna Kowalska"},
	{"", "Anna Kowalski", "?Anna Kowalska"}, {"", "Kowalska, Anna", "Anna Kowalska"}, {"", "Jose Garcia", "José García"}, {"", "Garcia Jose", "José García"}, {"", "John Smith", "John Smith"},
	{"", "Jon Smith", "?John Smith|Jon Smyth"}, {"", "Jon Smyth", "Jon Smyth"}, {"", "Smith", "?John Smith"}, {"", "Wei Zhang", "Wei Zhang"}, {"", "Zhang Wei", "Wei Zhang"}, {"", "Wei Zheng", "-"}, {"", "Wen Zhang", "-"},
	{"", "Fatima Alsayed", "Fatima Al-Sayed"}, {"", "Fatima al Sayed", "Fatima Al-Sayed"}, {"", "Bjorn Sorensen", "Bjørn Sørensen"}, {"", "Bjorn Sorenson", "?Bjørn Sørensen"}, {"", "Margret ONeill", "?Margaret O'Neill"},
	{"", "Margaret O’Neill", "Margaret O'Neill"}, {"", "Anna", "?Anna Kowalska"}, {"", "Hanna Kowalska", "-"}, {"", "MRI-3000", "MRI-3000"}, {"", "mri 3000", "MRI-3000"}, {"", "MRI3000", "MRI-3000"}, {"", "MRI-3001", "-"}, {"", "MRI-5000", "-"},
	{"", "MRI", "?MRI-3000|MRI-4000"}, {"", "Philips Ingenia", "?Philips Ingenia 1.5T"}, {"", "Phillips Ingenia 1.5T", "?Philips Ingenia 1.5T"}, {"", "Philips Ingenia 3.0T", "-"}, {"", "Siemens Magnetom", "?Siemens Magnetom Vida"},
	{"", "Magnetom Vida Siemens", "Siemens Magnetom Vida"}, {"", "Ultrasound Cart 7", "Ultrasound Cart 7"}, {"", "Ultrasound Cart 9", "-"}, {"", "Ultrasound Carts", "?Ultrasound Cart 7|Ultrasound Cart 8"}, {"", "ultrasoud cart 8", "?Ultrasound Cart 8"},
	{"", "Thermo Fisher Scientific", "Thermo Fisher Scientific Inc."}, {"", "ThermoFisher Scientific", "Thermo Fisher Scientific Inc."}, {"", "Thermo Fischer Scientific", "?Thermo Fisher Scientific Inc."}, {"", "Thermo Fisher", "?Thermo Fisher Scientific Inc."},
	{"", "Medtronic", "Medtronic plc"}, {"", "Medtronik", "?Medtronic plc"}, {"", "Metronic", "?Medtronic plc"}, {"", "Becton Dickinson", "Becton, Dickinson and Company"}, {"", "Becton Dickenson", "?Becton, Dickinson and Company"},
	{"", "Boston Scientific", "Boston Scientific Corporation"}, {"", "Boston Dynamics", "-"}, {"", "Scientific", "?Thermo Fisher Scientific Inc.|Boston Scientific Corporation"}, {"", "Fresenius", "?Fresenius SE"}, {"", "Drager Medical", "Dräger Medical GmbH"},
	{"", "Draeger", "-"}, {"", "Pfizer", "-"}, {"", "Clinic", "-"}, {"", "the technician", "-"}, {"", "Maria Garcia", "-"}, {"", "John", "?John Smith"}, {"", "GE Revolution", "?GE Revolution Apex"}, {"supplier", "John Smith", "-"},
}

// TestAccuracy checks that the catalog resolves the right entity, resolves nothing
// else, and has the right one among the candidates of a question.
func TestAccuracy(t *testing.T) {
	for _, tt := range []struct {
		name              string
		list              []resolve.Entity
		terms             []labelledTerm
		recall, precision float64
	}{
		{"logistics", business(), labelled, 0.97, 1},
		{"hospital", hospital(), hospitalTerms, 0.93, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := resolve.NewCatalog(tt.list, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got tally
			for _, l := range tt.terms {
				res, err := c.Resolve(t.Context(), l.term, l.kind)
				if err != nil {
					t.Errorf("%q: %v", l.term, err)
					continue
				}
				names := make([]string, len(res.Candidates))
				for i, c := range res.Candidates {
					names[i] = c.Value.Name
				}
				if problem := got.count(l.want, res.Status, names); problem != "" {
					t.Logf("%s: %q (%s) is %s: %s", problem, l.term, l.kind, res.Status, candidates(res))
				}
			}
			got.check(t, tt.precision, tt.recall)
		})
	}
}

// A tally counts the results of labelled terms.
type tally struct {
	right, wrong, missed, refused, refusals, offered, offers int
}

// count counts a result, and returns what is wrong with it.
func (y *tally) count(want string, status resolve.Status, names []string) (problem string) {
	taken := status == resolve.Resolved
	all, asks := strings.CutPrefix(want, "?")
	if asks || want == "-" {
		y.refusals++
		if taken {
			y.wrong++
			return "resolved, and should not be"
		}
		y.refused++
		if !asks {
			return ""
		}
	} else if taken {
		if names[0] == want {
			y.right++
			return ""
		}
		y.wrong++
		return "wrong"
	} else {
		y.missed++
		problem = "missed"
	}
	y.offers++
	for name := range strings.SplitSeq(all, "|") {
		if status == resolve.Unresolved || !slices.Contains(names, name) {
			return "does not offer " + all
		}
	}
	y.offered++
	return problem
}

func (y *tally) check(t *testing.T, leastPrecision, leastRecall float64) {
	t.Helper()
	precision := float64(y.right) / float64(y.right+y.wrong)
	recall := float64(y.right) / float64(y.right+y.missed)
	t.Logf("precision %.3f, recall %.3f (%d right, %d missed, %d wrong); %d of %d refused; what is meant is offered in %d of %d questions",
		precision, recall, y.right, y.missed, y.wrong, y.refused, y.refusals, y.offered, y.offers)
	if precision < leastPrecision || recall < leastRecall || float64(y.offered) < 0.9*float64(y.offers) {
		t.Errorf("precision %.3f and recall %.3f, want at least %.2f and %.2f", precision, recall, leastPrecision, leastRecall)
	}
}

func candidates(res resolve.Resolution[resolve.Entity]) string {
	var b strings.Builder
	for _, c := range res.Candidates {
		b.WriteString(c.Value.Name + " " + c.Match + " " + formatScore(c.Score) + "; ")
	}
	return b.String()
}
