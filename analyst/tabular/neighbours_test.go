package tabular_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
)

// neighbours are files as other programs write them. want has the number of rows, and of each column
// the type with the first cell, or "text", with "!" if a warning says why. "error" is a refusal.
var neighbours = []struct{ name, text, want string }{
	{"Sparkasse CAMT", "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Kontonummer/IBAN\";\"Betrag\";\"Waehrung\"\r\n\"DE00111111110000000001\";\"24.04.26\";\"24.04.2026\";\"DIG. KARTE\";\"DE002\";\"-3,58\";\"EUR\"\r\n\"DE00111111110000000001\";\"25.04.26\";\"25.04.2026\";\"EINGANG\";\"\";\"2500,00\";\"EUR\"\r\n",
		`2: Auftragskonto=text, Buchungstag=date 2026-04-24, Valutadatum=date 2026-04-24, Buchungstext=text, Kontonummer/IBAN=text, Betrag=decimal -3.58, Waehrung=text`},
	{"Sparkasse with short years alone", "\"Auftragskonto\";\"Buchungstag\";\"Betrag\"\n\"DE1\";\"24.04.26\";\"-3,58\"\n\"DE1\";\"25.04.26\";\"-50,00\"\n",
		`2: Auftragskonto=text, Buchungstag=text!, Betrag=decimal -3.58`},
	{"Commerzbank", "\ufeffBuchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;Bankleitzahl Auftraggeberkonto\r\n28.05.2026;28.05.2026;Lastschrift;HAVI;-12.480,55;EUR;30041254\r\n30.05.2026;31.05.2026;Gutschrift;Sammel;8.945,12;EUR;30041254\r\n",
		`2: Buchungstag=date 2026-05-28, Wertstellung=date 2026-05-28, Umsatzart=text, Buchungstext=text, Betrag=decimal -12480.55, Währung=text, Bankleitzahl Auftraggeberkonto=integer 30041254`},
	{"DKB", "\"Girokonto\";\"DE12345678901234567890\"\n\"\"\n\"Kontostand vom 01.12.2024:\";\"1.234,56 €\"\n\"\"\n\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Betrag (€)\"\n\"01.12.24\";\"01.12.24\";\"Gebucht\";\"REWE\";\"Einkauf\";\"-85,4\"\n\"28.11.24\";\"28.11.24\";\"Gebucht\";\"Chef\";\"Lohn\";\"1.500\"\n",
		`2: Buchungsdatum=text!, Wertstellung=text!, Status=text, Zahlungsempfänger*in=text, Verwendungszweck=text, Betrag (€)=decimal -85.4`},
	{"ING Germany", "Umsatzanzeige;Datei erstellt am: 25.07.2018 12:00\n;Letztes Update: aktuell\n\nIBAN;DE1\nKontoname;Extra-Konto\nSaldo;5.000,00;EUR\n\n\"Buchung\";\"Valuta\";\"Auftraggeber/Empfänger\";\"Buchungstext\";\"Saldo\";\"Währung\";\"Betrag\";\"Währung\"\n08.06.2018;08.06.2018;REWE;Gutschrift;1.234,00;EUR;-500,00;EUR\n14.06.2018;15.06.2018;Aldi;Lastschrift;734,00;EUR;-20,10;EUR\n",
		`2: Buchung=date 2018-06-08, Valuta=date 2018-06-08, Auftraggeber/Empfänger=text, Buchungstext=text, Saldo=decimal 1234, Währung=text, Betrag=decimal -500, Währung_2=text`},
	{"comdirect", "\"Buchungstag\";\"Vorgang\";\"Buchungstext\";\"Umsatz in EUR\"\n\"01.05.2024\";\"Lastschrift\";\"Amazon\";\"- 29,99\"\n\"02.05.2024\";\"Gutschrift\";\"Lohn\";\"1.000,00\"\n",
		`2: Buchungstag=date 2024-05-01, Vorgang=text, Buchungstext=text, Umsatz in EUR=decimal -29.99`},
	{"ING Netherlands", "Datum;Naam / Omschrijving;Rekening;Code;Af Bij;Bedrag (EUR);Saldo na mutatie\n22-02-2026;JUMBO;NL00INGB0000000000;BA;Af;4,50;1000,00\n11-02-2026;SALARY;NL00INGB0000000000;OV;Bij;1.500,00;2500,00\n",
		`2: Datum=date 2026-02-22, Naam / Omschrijving=text, Rekening=text, Code=text, Af Bij=text, Bedrag (EUR)=decimal 4.5, Saldo na mutatie=decimal 1000`},
	{"Rabobank", "\"IBAN/BBAN\",\"Munt\",\"Volgnr\",\"Datum\",\"Bedrag\",\"Saldo na trn\"\n\"NL1\",\"EUR\",\"000000000000001234\",\"2026-06-01\",\"+100,00\",\"+1.100,00\"\n\"NL1\",\"EUR\",\"000000000000001235\",\"2026-06-02\",\"-25,50\",\"+1.074,50\"\n",
		`2: IBAN/BBAN=text, Munt=text, Volgnr=text, Datum=date 2026-06-01, Bedrag=decimal 100, Saldo na trn=decimal 1100`},
	{"PayPal, United States", "\"Date\",\"Time\",\"TimeZone\",\"Name\",\"Gross\",\"Fee\",\"Net\",\"Transaction ID\"\n\"10/01/2026\",\"10:00:00\",\"PDT\",\"Jana\",\"1,250.00\",\"-43.40\",\"1,206.60\",\"1AB\"\n\"10/14/2026\",\"09:00:00\",\"PDT\",\"\",\"-1,000.00\",\"0.00\",\"-1,000.00\",\"3EF\"\n",
		`2: Date=date 2026-10-01, Time=text, TimeZone=text, Name=text, Gross=decimal 1250, Fee=decimal -43.4, Net=decimal 1206.6, Transaction ID=text`},
	{"PayPal, Germany", "\"Datum\",\"Uhrzeit\",\"Zeitzone\",\"Brutto\",\"Gebühr\",\"Netto\",\"Guthaben\"\n\"06.01.2026\",\"12:00:00\",\"CET\",\"-23,00\",\"0,00\",\"-23,00\",\"1.234,56\"\n",
		`1: Datum=date 2026-01-06, Uhrzeit=text, Zeitzone=text, Brutto=decimal -23, Gebühr=decimal 0, Netto=decimal -23, Guthaben=decimal 1234.56`},
	{"PayPal, one ambiguous day", "\"Date\",\"Gross\",\"Balance Impact\"\n\"06/01/2026\",\"-23,00\",\"Debit\"\n",
		`1: Date=text!, Gross=decimal -23, Balance Impact=text`},
	{"Stripe", "id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Available On (UTC)\ntxn_9,charge,ch_9,120.00,1.93,118.07,eur,2026-10-05 10:00,2026-10-07 00:00\ntxn_8,stripe_fee,,-5.00,0.00,-5.00,eur,2026-10-05 11:00,2026-10-05 11:00\n",
		`2: id=text, Type=text, Source=text, Amount=decimal 120, Fee=decimal 1.93, Net=decimal 118.07, Currency=text, Created (UTC)=time 2026-10-05 10:00, Available On (UTC)=time 2026-10-07 00:00`},
	{"Shopify", "Name,Email,Financial Status,Paid at,Total,Created at,Lineitem quantity,Lineitem price,Lineitem sku,Billing Zip\n#1050,k@example.com,paid,2026-05-01 10:00:00 +0200,100.90,2026-05-01 09:59:00 +0200,1,62.95,MAT-100,'2801\n#1050,k@example.com,,,,,1,37.95,MAT-50,\n#1051,l@example.com,paid,2026-01-03 11:02:00 +0100,76.00,2026-01-03 11:00:00 +0100,2,38.00,X-1,'1000\n",
		`3: Name=text, Email=text, Financial Status=text, Paid at=time 2026-05-01T08:00:00Z, Total=decimal 100.9, Created at=time 2026-05-01T07:59:00Z, Lineitem quantity=integer 1, Lineitem price=decimal 62.95, Lineitem sku=text, Billing Zip=text`},
	{"Square", "Date,Time,Time Zone,Item,Qty,Gross Sales,Discounts,Transaction ID\n2025-12-01,09:00,AWST,Beer,1, $5.50,$0.00,ABC123\n2025-12-01,09:05,AWST,Social,1, $5.00,($1.00),ABC124\n",
		`2: Date=date 2025-12-01, Time=text, Time Zone=text, Item=text, Qty=integer 1, Gross Sales=decimal 5.5, Discounts=decimal 0, Transaction ID=text`},
	{"Revolut", "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\nCARD_PAYMENT,Current,2026-01-05 10:22:33,2026-01-06 09:00:01,Cafe,-3.50,0.00,EUR,COMPLETED,96.50\nTOPUP,Current,2026-01-07 10:22:33,,Top-Up,100.00,0.00,EUR,PENDING,\n",
		`2: Type=text, Product=text, Started Date=time 2026-01-05 10:22:33, Completed Date=time 2026-01-06 09:00:01, Description=text, Amount=decimal -3.5, Fee=decimal 0, Currency=text, State=text, Balance=decimal 96.5`},
	{"Google Sheets", "Item,Date,Price,Share,Active\nA,1/5/2026,\"$1,234.50\",12.5%,TRUE\nB,1/15/2026,$7.00,8%,FALSE\n",
		`2: Item=text, Date=date 2026-01-05, Price=decimal 1234.5, Share=decimal 12.5, Active=boolean true`},
	{"Excel in German", "Kunde;Datum;Umsatz;Anteil;Aktiv\r\nM\xfcller;05.01.2026;1.234,50 \x80;12,5%;WAHR\r\nSchr\xf6der;15.01.2026;7,00 \x80;8%;FALSCH\r\n",
		`2: Kunde=text, Datum=date 2026-01-05, Umsatz=decimal 1234.5, Anteil=decimal 12.5, Aktiv=text`},
	{"Excel in French", "Client;Date;Montant;Part;Actif\r\nCr\xe9mieux;05/01/2026;1\xa0234,50 \x80;12,5%;VRAI\r\nL\xe9a;15/01/2026;7,00 \x80;8%;FAUX\r\n",
		`2: Client=text, Date=date 2026-01-05, Montant=decimal 1234.5, Part=decimal 12.5, Actif=text`},
	{"Excel, Unicode text", "\xff\xfeI\x00d\x00\t\x00N\x00\r\x00\n\x001\x00\t\x001\x00,\x005\x00\r\x00\n\x00",
		`1: Id=integer 1, N=decimal 1.5`},
	{"SAP list", "Belegnr.|Buch.dat.|Betrag HW|Wrg\n100000123|05.01.2026|1.234,56-|EUR\n100000124|15.01.2026|99,00|EUR\n",
		`2: Belegnr.=integer 100000123, Buch.dat.=date 2026-01-05, Betrag HW=decimal -1234.56, Wrg=text`},
	{"SAP list with frames", "-----------------------------------\n|Belegnr. |Buch.dat. |   Betrag HW|\n-----------------------------------\n|100000123|05.01.2026|   1.234,56-|\n|100000124|15.01.2026|      99,00 |\n-----------------------------------\n",
		`2: column_1=text, Belegnr.=integer 100000123, Buch.dat.=date 2026-01-05, Betrag HW=decimal -1234.56, column_5=text`},
	{"DATEV", "\"EXTF\";700;21;\"Buchungsstapel\";9;20260105\nUmsatz;Soll/Haben;WKZ;Konto;Gegenkonto;Belegdatum;Belegfeld 1\n1234,56;\"S\";\"EUR\";1200;8400;0501;\"RE-1\"\n7,00;\"H\";\"EUR\";1200;8300;1501;\"RE-2\"\n",
		`2: Umsatz=decimal 1234.56, Soll/Haben=text, WKZ=text, Konto=integer 1200, Gegenkonto=integer 8400, Belegdatum=text!, Belegfeld 1=text`},
	{"pandas", ",a,b,at,ok\n0,1.0,x,2026-01-05 00:00:00,True\n1,,y,2026-01-06 12:30:00,False\n2,inf,,,\n",
		`3: column_1=integer 0, a=decimal 1, b=text, at=time 2026-01-05 00:00:00, ok=boolean true`},
	{"R write.csv", "\"\",\"id\",\"value\",\"when\",\"flag\"\n\"1\",1,NA,2026-01-05,TRUE\n\"2\",2,1e+05,2026-01-06,NA\n\"3\",3,2.5,NA,FALSE\n",
		`3: column_1=integer 1, id=integer 1, value=decimal <nil>, when=date 2026-01-05, flag=text!`},
	{"R write.table", "\"id\"\t\"value\"\n\"1\"\t1\t2.5\n\"2\"\t2\t3.5\n", "error"},
	{"phpMyAdmin without a header", "\"1\",\"Müller\",\"2026-01-05 12:30:00\",\"12.50\",NULL\n\"2\",\"Schmidt\",\"2026-01-06 08:00:00\",\"7.00\",\"3\"\n",
		`2: column_1=integer 1, column_2=text, column_3=time 2026-01-05 12:30:00, column_4=decimal 12.5, column_5=integer <nil>`},
	{"mysqldump --tab", "id\tname\tn\tprice\n1\tA\t\\N\t1.50\n2\t\\N\t7\t2.25\n",
		`2: id=integer 1, name=text, n=integer <nil>, price=decimal 1.5`},
	{"Salesforce", "\"Opportunity Name\",\"Amount\",\"Close Date\",\"Probability (%)\"\n\"Acme\",\"12000.00\",\"1/31/2026\",\"75\"\n\"Globex\",\"3500.50\",\"2/28/2026\",\"10\"\n\n\"Grand Totals (2 records)\"\n\"Confidential Information - Do Not Distribute\"\n",
		`4: Opportunity Name=text, Amount=decimal 12000, Close Date=date 2026-01-31, Probability (%)=integer 75`},
	{"sensor log", "# device: TH-7\n# unit: C\ntime;temp;hum\n2026-11-29T12:00:00.123Z;23,5;40\n2026-11-29T12:00:10.456Z;23,6;NaN\n",
		`2: time=time 2026-11-29T12:00:00.123Z, temp=decimal 23.5, hum=integer 40`},
	{"Arduino log without a header", "1764400000,23.5,40\n1764400010,23.6,41\n",
		`2: column_1=integer 1764400000, column_2=decimal 23.5, column_3=integer 40`},
	{"Grafana", "\"Time\",\"cpu\",\"mem\"\n\"2026-11-29 12:00:00\",12.5%,1.5 GiB\n\"2026-11-29 12:01:00\",13%,1.6 GiB\n",
		`2: Time=time 2026-11-29 12:00:00, cpu=decimal 12.5, mem=text`},
	{"World Bank", "\"Data Source\",\"World Development Indicators\",\n\n\"Last Updated Date\",\"2026-10-07\",\n\n\"Country Name\",\"Country Code\",\"2023\",\"2024\",\n\"Aruba\",\"ABW\",\"106.5\",\"107.25\",\n\"Chad\",\"TCD\",\"\",\"18.4\",\n",
		`2: Country Name=text, Country Code=text, 2023=decimal 106.5, 2024=decimal 107.25, column_5=text`},
	{"Eurostat", "geo\\TIME_PERIOD\t2023 \t2024 \nDE\t12.5 b\t13.1 \nFR\t: \t9.9 p\n",
		`2: geo\TIME_PERIOD=text, 2023=text, 2024=text!`},
	{"Destatis", "Bevölkerung\nStichtag;Insgesamt;Männlich\n31.12.2022;84358845;41558157\n31.12.2023;84669326;...\n__________\n(C)opyright Statistisches Bundesamt\n",
		`3: Stichtag=text!, Insgesamt=integer 84358845, Männlich=text!`},
	{"Google Analytics", "# ----------------------------------------\n# Seiten\n# 20260101-20260131\n# ----------------------------------------\n\nPage,Views,Bounce rate,Avg. time\n/,\"1,234\",45.2%,00:01:23\n/a,12,8.1%,00:00:05\n",
		`2: Page=text, Views=integer 1234, Bounce rate=decimal 45.2, Avg. time=text`},
	{"Strava", "Activity ID,Activity Date,Activity Name,Elapsed Time,Distance\n1,\"Jan 5, 2026, 6:12:33 AM\",Run,1800,\"5.21\"\n2,\"Jan 15, 2026, 5:01:00 PM\",Ride,3600,\"1,020.5\"\n",
		`2: Activity ID=integer 1, Activity Date=time 2026-01-05 06:12:33, Activity Name=text, Elapsed Time=integer 1800, Distance=decimal 5.21`},
	{"eBay", "Order,Sale Date,Total\n1,Jan-05-26,\"$1,020.50\"\n2,Jan-15-26,$7.00\n",
		`2: Order=integer 1, Sale Date=text, Total=decimal 1020.5`},
	{"Etsy", "Sale Date,Item Name,Price\n01/05/26,Mug,12.00\n01/06/26,Cup,8.50\n",
		`2: Sale Date=text!, Item Name=text, Price=decimal 12`},
	{"Quicken", "!Type:Bank\nD01/05/2026\nT-12.50\nPCafe\n^\n",
		`4: !Type:Bank=text`},
	{"Access", "ID;Name;Geboren;Gehalt\n1;\"Meier\";5.1.1980 00:00:00;2.500,00 €\n2;\"Kunz\";17.12.1975 00:00:00;3.100,50 €\n",
		`2: ID=integer 1, Name=text, Geboren=time 1980-01-05 00:00:00, Gehalt=decimal 2500`},
	{"Elasticsearch", "{\"took\":3,\"hits\":{\"total\":{\"value\":2},\"hits\":[{\"_id\":\"a\",\"_source\":{\"price\":1.5,\"at\":\"2026-01-05T10:00:00Z\"}},{\"_id\":\"b\",\"_source\":{\"price\":2,\"at\":\"2026-01-06T10:00:00Z\"}}]}}",
		`2: _id=text, _source.price=decimal 1.5, _source.at=time 2026-01-05T10:00:00Z`},
	{"Jira", "Summary,Issue key,Created,Story Points\nFix,AB-1,29/Nov/26 3:05 PM,3.0\nAdd,AB-2,01/Dec/26 9:00 AM,\n",
		`2: Summary=text, Issue key=text, Created=time 2026-11-29 15:05:00, Story Points=decimal 3`},
	{"telephone numbers and codes", "name,phone,iban,ean,plz\nA,+49 30 123456,DE89370400440532013000,4006381333931,01067\nB,030/654321,DE02,4006381333948,80331\n",
		`2: name=text, phone=text!, iban=text, ean=integer 4006381333931, plz=text!`},
}

// TestNeighbours reads files as other programs write them: a column has its type, or it is
// text.
func TestNeighbours(t *testing.T) {
	for _, test := range neighbours {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, nil)
			if err != nil {
				if test.want != "error" {
					t.Error(err)
				}
				return
			}
			warned := map[string]bool{}
			for _, w := range d.Warnings {
				warned[w.Column] = warned[w.Column] || w.Kind != tabular.Header
			}
			var columns []string
			for i, c := range d.Columns {
				text := c.Name + "=" + string(c.Type)
				if c.Type != tabular.Text {
					text += fmt.Sprintf(" %v", d.rows[0][i])
				} else if warned[c.Name] {
					text += "!"
				}
				columns = append(columns, text)
			}
			got := fmt.Sprintf("%d: %s", d.Rows, strings.Join(columns, ", "))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s\n%v", got, d.Notes())
			}
		})
	}
}
