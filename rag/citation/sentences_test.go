package citation_test

import (
	"testing"

	"github.com/qedkit/qed/rag/citation"
)

// A sentence that its source proves has no finding, however it writes what the source
// says. Each line is a sentence and its source.
func TestTrueSentences(t *testing.T) {
	for _, c := range [][2]string{
		{"It takes 3 months [1].", "It takes three months."},
		{"It takes three months [1].", "It takes 3 months."},
		{"Es dauert 3 Monate [1].", "Es dauert drei Monate."},
		{"It takes 12 weeks [1].", "It takes twelve weeks."},
		{"It takes 21 days [1].", "It takes twenty-one days."},
		{"The first 2 copies [1].", "The first two copies are kept."},
		{"It began on April 3, 2026 [1].", "Begin: 2026-04-03T00:00:00Z"},
		{"It began on 3 April 2026 [1].", "Begin: 2026-04-03 17:00:00"},
		{"It began at 5 pm [1].", "Begin: 17:00"},
		{"It begins at 17:00 [1].", "It begins at 5 p.m."},
		{"It begins at 17:00 [1].", "Beginn um 17 Uhr."},
		{"It begins at 17:00 [1].", "Beginn um 17.00 Uhr."},
		{"Ein „Politikwissenschaft“ Fach [1].", "Das Fach Po\u00ad\nlitikwissenschaft ist frei."},
		{"The “evaluation” is annual [1].", "The evalu -\nation is annual."},
		{"The “evaluation” is annual [1].", "The evalu-\n   ation is annual."},
		{"It is “as shown in” other work [1].", "It is as shown [12] in other work."},
		{"“[t]he fee is due” [1].", "However, the fee is due."},
		{"“[T]he fee is due” [1].", "However, the fee is due."},
		{"It takes 2.5 hours [1].", "It takes 2½ hours."},
		{"It takes 2½ hours [1].", "It takes 2.5 hours."},
		{"It takes 2½ hours [1].", "It takes 2½ hours."},
		{"It is ½ of it [1].", "It is 0.5 of it."},
		{"It weighs 10⁶ kg [1].", "It weighs 10^6 kg."},
		{"It weighs 10^6 kg [1].", "It weighs 10⁶ kg."},
		{"It costs €1.5 million [1].", "It costs 1,500,000 EUR."},
		{"It costs 1.5m [1].", "It costs 1,500,000 EUR."},
		{"Es kostet 1,5 Mio. Euro [1].", "Kosten: 1.500.000 Euro."},
		{"It rose by 50% [1].", "It rose by half, 0.5."},
		{"The share is 12 per cent [1].", "The share is 12%."},
		{"The share is 12% [1].", "The share is twelve percent."},
		{"It is the 3rd time [1].", "It is the third time."},
		{"It is the third time [1].", "It is the 3rd time."},
		{"Section 4.2 applies [1].", "Section 4.2 applies."},
		{"In Q1 2026 it fell [1].", "In the first quarter of 2026 it fell."},
		{"It was in the 1990s [1].", "It was in the 1990s."},
		{"From 2019 to 2021 it fell [1].", "2019–2021: it fell."},
		{"From 2019 to 2021 it fell [1].", "2019-21: it fell."},
		{"Pages 12–15 say so [1].", "Pages 12 to 15 say so."},
		{"On Jan. 5, 2026 it fell [1].", "On 5 January 2026 it fell."},
		{"On 05.01.2026 it fell [1].", "On 5 January 2026 it fell."},
		{"On 5.1.26 it fell [1].", "On 5 January 2026 it fell."},
		{"Since May it falls [1].", "Since May 2026 it falls."},
		{"In 2026-05 it fell [1].", "In May 2026 it fell."},
		{"In May 2026 it fell [1].", "In 2026-05 it fell."},
		{"In 05/2026 it fell [1].", "In May 2026 it fell."},
		{"It says “don't” twice [1].", "It says don’t twice."},
		{"It says “a — b” there [1].", "It says a - b there."},
		{"It says “ﬁnal” there [1].", "It says final there."},
		{"It says “final” there [1].", "It says ﬁnal there."},
		{"It says “one, two” there [1].", "It says **one**, two there."},
		{"It says “one … three” [1].", "It says one, two, three."},
		{"It is -5 °C cold [1].", "It is −5 °C cold."},
		{"It is minus 5 °C cold [1].", "It is −5 °C cold."},
		{"It fell by 5 % [1].", "Change: -5 %."},
		{"It costs 1 000 EUR [1].", "It costs 1,000 EUR."},
		{"It costs 1’000 CHF [1].", "It costs 1'000 CHF."},
		{"It costs $5 [1].", "It costs 5 USD."},
		{"Two thirds agree [1].", "2/3 agree."},
		{"Model X200 has it [1].", "The X200 has it."},
		{"ISO 9001:2015 applies [1].", "ISO 9001:2015 applies."},
		{"Call 030 1234567 [1].", "Call 030/1234567."},
		{"In 2021 it fell [1].", "2019-21: it fell."},
		{"In 2020 it fell [1].", "It fell from 2019 to 2021."},
		{"In 1999 it fell [1].", "It fell in the fiscal year 1998/99."},
		{"In 1995 it fell [1].", "It began in 1990 and fell five years later."},
		{"In 1995 it fell [1].", "It fell in the nineties, and again in 2001."},
		{"In 2022 it fell [1].", "FY22 was better than 2021."},
		{"It ran for 10 hours, after 2000 hours of rest [1].", "In 2015 it rested 2,000 hours and ran 10 hours."},
		{"Seit 2016 ist sie offen [1].", "Die Eröffnung war am 5.1.2016."},
		{"It needs version 1.2 [1].", "It needs v1.2.3 or later."},
		{"It needs v1.2.4 [1].", "It needs 1.2.x."},
		{"It needs v3.0 [1].", "It needs the third version."},
	} {
		for _, f := range citation.Audit(c[0], []citation.Source{{Key: "1", Text: c[1]}}).Findings {
			t.Errorf("%s, from %q: %s %s", c[0], c[1], f.Kind, f.Text)
		}
	}
}

// A sentence that says something else than its source is found.
func TestFalseSentences(t *testing.T) {
	for _, c := range [][2]string{
		{"It takes 4 months [1].", "It takes three months."},
		{"Es dauert 4 Monate [1].", "Es dauert drei Monate."},
		{"It began on April 4, 2026 [1].", "Begin: 2026-04-03T00:00:00Z"},
		{"It began in May 2025 [1].", "In 2026-05 it fell."},
		{"In 2026-06 it fell [1].", "In May 2026 it fell."},
		{"It is “as shown by” other work [1].", "It is as shown [12] in other work."},
		{"It has 12 authors [1].", "It is as shown [13] in other work."},
		{"“[t]he fee is void” [1].", "However, the fee is due."},
		{"The “evacuation” is annual [1].", "The evalu-\nation is annual."},
		{"It takes 3.5 hours [1].", "It takes 2½ hours."},
		{"It takes 2½ hours [1].", "It takes 2¼ hours."},
		{"It weighs 106 kg [1].", "It weighs 10^6 kg."},
		{"It weighs 106 kg [1].", "It weighs 10⁶ kg."},
		{"It weighs 10^7 kg [1].", "It weighs 10⁶ kg."},
		{"It says “106 kg” there [1].", "It weighs 10⁶ kg."},
		{"Es kostet 1,6 Mio. Euro [1].", "Kosten: 1.500.000 Euro."},
		{"It costs 1.6 million [1].", "It costs 1,500,000 EUR."},
		{"The share is 13 per cent [1].", "The share is 12%."},
		{"Section 4.3 applies [1].", "Section 4.2 applies."},
		{"On Jan. 6, 2026 it fell [1].", "On 5 January 2026 it fell."},
		{"On 05.02.2026 it fell [1].", "On 5 January 2026 it fell."},
		{"It says “don’t not” twice [1].", "It says don’t twice."},
		{"It says “three … one” [1].", "It says one, two, three."},
		{"It is -6 °C cold [1].", "It is −5 °C cold."},
		{"It costs 1 001 EUR [1].", "It costs 1,000 EUR."},
		{"It was open in 2016 [1].", "It was opened in 2015."},
		{"Seit 2016 ist sie offen [1].", "Die Eröffnung war am 5.1.2015."},
		{"By 2022 it fell [1].", "It fell from 2019 to 2021."},
		{"It needs v1.5 [1].", "It needs version 1.4."},
		{"Abschnitt 4.2.1 gilt [1].", "Abschnitt 4.2.2 gilt."},
		{"It reads a 3.4kb record [1].", "It reads a 2.4kb record."},
	} {
		if a := citation.Audit(c[0], []citation.Source{{Key: "1", Text: c[1]}}); len(a.Findings) == 0 {
			t.Errorf("%s, from %q: no finding", c[0], c[1])
		}
	}
}
