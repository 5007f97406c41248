package joingraph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// splitName returns the words of an identifier in lower case. Words end at
// anything that is no letter or digit, and where the case shows it: workTime,
// WORK_TIME, "Work Time" and work-time have the same words. Digits are a word of
// their own at the end of an identifier only, as in address2.
func splitName(identifier string) []string {
	parts := strings.FieldsFunc(textmatch.Spaced(identifier), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, p := range parts {
		parts[i] = foldUmlauts.Replace(strings.ToLower(p))
	}
	if n := len(parts); n > 0 {
		last := parts[n-1]
		if stem := strings.TrimRight(last, "0123456789"); stem != "" && stem != last {
			parts = append(parts[:n-1], stem, last[len(stem):])
		}
	}
	return parts
}

// foldUmlauts gives German words the spelling that schemas without umlauts use.
var foldUmlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// singular returns a form of a word that its singular and its plural share, in
// English and mostly in German. The result need not be a word. It is only compared
// with other results.
func singular(word string) string {
	if s, ok := irregular[word]; ok {
		word = s
	}
	if utf8.RuneCountInString(word) < 4 {
		return word
	}
	if rest, ok := strings.CutSuffix(word, "s"); ok &&
		!strings.HasSuffix(rest, "s") && !strings.HasSuffix(rest, "u") && !strings.HasSuffix(rest, "i") {
		word = rest
	}
	switch {
	case len(word) > 5 && strings.HasSuffix(word, "is"): // analysis, analyses
		return word[:len(word)-2]
	case len(word) > 4 && strings.HasSuffix(word, "en"): // Kunden, Kunde
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "e"):
		word = word[:len(word)-1]
	}
	if rest, ok := strings.CutSuffix(word, "y"); ok {
		return rest + "i" // category, categories
	}
	return word
}

// plural reports whether a word is a plural in English, or certainly one in German.
func plural(word string) bool {
	if _, ok := irregular[word]; ok || strings.HasSuffix(word, "ungen") {
		return true
	}
	return len(word) > 3 && word[len(word)-1] == 's' && !slices.Contains([]string{"ss", "us", "is"}, word[len(word)-2:])
}

// irregular maps plurals to singulars.
var irregular = map[string]string{
	"people": "person", "persons": "person", "personen": "person", "children": "child", "men": "man", "women": "woman",
	"mice": "mouse", "feet": "foot", "teeth": "tooth", "geese": "goose", "indices": "index", "matrices": "matrix",
	"vertices": "vertex", "criteria": "criterion", "media": "medium", "leaves": "leaf", "shelves": "shelf",
	"wives": "wife", "lives": "life", "halves": "half", "bases": "basis",
	"laender": "land", "haeuser": "haus", "buecher": "buch", "faecher": "fach", "konten": "konto", "firmen": "firma",
	"maerkte": "markt", "vertraege": "vertrag", "auftraege": "auftrag", "raeume": "raum", "plaene": "plan",
	"staedte": "stadt", "gruppen": "gruppe", "zugaenge": "zugang", "beitraege": "beitrag", "antraege": "antrag",
	"mitglieder": "mitglied", "bilder": "bild", "felder": "feld", "kinder": "kind",
}

// stems returns the singular form of each word.
func stems(parts []string) []string {
	return lists.Map(parts, singular)
}

// compact joins words so that timeslot equals time_slot.
func compact(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], "") + singular(parts[last])
}

// keyWords end, and sometimes begin, the name of a column that identifies a row.
var keyWords = wordset.Of(`id ids key code cd no nr num nbr number ref uuid guid uid oid pid fk pk sk bk rowid ident
	identifier nummer schluessel kennung kuerzel`)

// weakKeyWords are keyWords that also name ordinary columns, such as a phone
// number.
var weakKeyWords = wordset.Of(`code cd no nr num nbr number ref nummer ident identifier kuerzel`)

// gluedKeys are key words that legacy names write without a separator: custid.
var gluedKeys = []string{"uuid", "guid", "id", "nr", "no", "num", "key", "code"}

// genericWords do not say what a table is about. A column of such a name is no
// reference, even if another table has a key of the same name.
var genericWords = wordset.Of(`id key code no nr number name title type kind status state date year month day time timestamp
	description comment comments note notes value amount total quantity price cost email mail phone fax url version
	position rank level size weight height width length color colour gender sex age language active enabled deleted
	count sort order seq sequence line text content label first last middle start end from to created updated modified
	semester bezeichnung beschreibung datum jahr titel wert betrag menge preis art typ status bemerkung details
	location address city country zip postal mobile phone`)

// measureWords are in the names of columns that describe or count something:
// no_of_customers is no customer.
var measureWords = wordset.Of(`no number num count total sum avg average min max of per units qty quantity days hours minutes g n email mail web url fastest
	time date name title type code rate percent percentage amount price cost has is had anzahl summe`)

// placeWords follow the name of a table and say which of several rows is meant.
var placeWords = wordset.Of(`in home away main primary secondary first second from to source target src dst dest invoice
	parent child old new previous next current original billing shipping delivery start end left right origin
	destination default`)

// roleWords name a person by the role in a row. They are followed by a key word or
// "by" or are a whole name.
var roleWords = wordset.Of(`manager mgr supervisor boss chief head leader lead director owner author creator editor
	approver reviewer assignee reporter requester responsible coach captain
	secretary representative rep seller salesperson technician operator contact buyer planner sender receiver
	recipient driver chef leiter vorgesetzter bearbeiter ersteller verantwortlicher ansprechpartner
	besitzer autor verfasser female male husband wife spouse partner father mother guardian`)

// accountWords are roles of those who use a program.
var accountWords = wordset.Of(`author creator editor owner assignee requester reviewer sender receiver recipient autor
	verfasser ersteller`)

// teacherWords are roles of people who teach.
var teacherWords = wordset.Of(`advisor adviser instructor teacher professor lecturer tutor mentor betreuer
	dozent lehrer`)

// byWords are participles that are followed by "by", or that stand alone with a
// key word: createdBy, created_by_id, modifier_id.
var byWords = wordset.Of(`created updated modified deleted changed approved assigned added inserted entered edited
	closed opened authorised authorized signed checked reviewed submitted requested reported recorded confirmed
	cancelled canceled completed posted uploaded verified owned managed handled issued received rejected processed
	locked archived published invited granted revoked scheduled performed registered erstellt geaendert angelegt
	geloescht freigegeben bearbeitet`)

// systemWords name another system, whose ids are no keys of a table here.
var systemWords = wordset.Of(`external extern ext foreign thirdparty upstream legacy stripe paypal adyen
	salesforce sfdc hubspot zendesk shopify github gitlab google facebook twitter linkedin microsoft azure aws gcp slack
	jira xero quickbooks sap netsuite ldap oauth saml oidc`)

// copyWords are in the names of tables that have old rows of another table, or copies.
var copyWords = wordset.Of(`archive archived archiv arch backup bak bkp old copy kopie hist history historie historic
	deleted deprecated legacy snapshot tmp temp prev previous obsolete alt`)

// parentWords name another row of the same table.
var parentWords = wordset.Of(`parent predecessor successor previous prev next superior reportsto ancestor root original
	replaces replaced replacedby supersededby eltern vorgaenger nachfolger oberste uebergeordnet uebergeordnete`)

// rowWords also do, before the name of the table.
var rowWords = wordset.Of(`child source target src dst from to old new current first last linked related duplicate`)

// personTables are the tables that a person's role or an action refers to, the
// likeliest first.
var (
	accountTables  = stems(strings.Fields(`user account login appuser employee staff person member benutzer nutzer anwender mitarbeiter`))
	teacherTables  = stems(strings.Fields(`instructor teacher professor faculty lecturer staff employee dozent lehrer person user`))
	employeeTables = stems(strings.Fields(`employee staff worker emp mitarbeiter angestellter person user member benutzer`))
)

// tablePrefixes begin the name of a table and say what kind of table it is.
var tablePrefixes = wordset.Of(`tbl t tb tab ref sec dim d fact fct f stg staging lkp lookup lu vw v view mst master trn
	xref rel map bridge br hub lnk sat ods dwh dw mart sys app raw src core cfg`)

// tableSuffixes end the name of a table and say what kind of table it is.
var tableSuffixes = wordset.Of(`tbl table tab dim fact entity master mst`)

// trimEnds removes the key words from the end or the begin of a column's words, and
// returns which one was removed.
func trimEnds(parts []string) (rest []string, key string) {
	if n := len(parts); n > 1 {
		if last := parts[n-1]; keyWords[last] {
			rest = parts[:n-1]
			if n > 2 && (last == "fk" || last == "ref" || last == "key") && keyWords[parts[n-2]] { // customer_id_fk
				return parts[:n-2], parts[n-2]
			}
			if first := rest[0]; len(rest) > 1 && (first == "fk" || first == "ref") {
				rest = rest[1:]
			}
			return rest, last
		}
		if first := parts[0]; first == "id" || first == "fk" || first == "key" || first == "idx" {
			return parts[1:], first
		}
	}
	return parts, ""
}

// unglue splits a key word from the end of a word: custid is cust and id.
func unglue(word string) (rest, key string) {
	for _, k := range gluedKeys {
		if r, ok := strings.CutSuffix(word, k); ok && len(r) >= 1 {
			return r, k
		}
	}
	return word, ""
}

// How well a short word stands for a longer one.
const (
	noAbbreviation = iota
	initials       // the first one or two letters, or the initials of the words
	subsequence    // dept for department
	beginning      // cust for customer
)

// abbreviation reports how short stands for a long word.
func abbreviation(short, long string) int {
	if short == "" || len(short) >= len(long) || short[0] != long[0] {
		return noAbbreviation
	}
	switch {
	case strings.HasPrefix(long, short):
		if len(short) >= 3 {
			return beginning
		}
		return initials
	case len(short) < 3 || !inOrder(short, long):
		return noAbbreviation
	}
	return subsequence
}

// inOrder reports whether the letters of short occur in long in their order, and
// its last letter is no vowel or the last of long: dept, mgr and qty are
// abbreviations of this form.
func inOrder(short, long string) bool {
	return lettersOf(short, long) && (!strings.ContainsRune("aeiou", rune(short[len(short)-1])) || short[len(short)-1] == long[len(long)-1])
}

// lettersOf reports whether the letters of short occur in long in their order.
func lettersOf(short, long string) bool {
	at := 0
	for i := range len(short) {
		next := strings.IndexByte(long[at:], short[i])
		if next < 0 {
			return false
		}
		at += next + 1
	}
	return true
}

// firstLetters returns the initials of words: ba for bank_account.
func firstLetters(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		r, _ := utf8.DecodeRuneInString(p)
		b.WriteRune(r)
	}
	return b.String()
}

// hasSuffix reports whether list ends with tail.
func hasSuffix(list, tail []string) bool {
	return len(tail) > 0 && len(list) >= len(tail) && slices.Equal(list[len(list)-len(tail):], tail)
}

// hasPrefix reports whether list begins with head.
func hasPrefix(list, head []string) bool {
	return len(head) > 0 && len(list) >= len(head) && slices.Equal(list[:len(head)], head)
}
