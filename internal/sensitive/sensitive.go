// Package sensitive recognises by its name a column that should not be shown or
// sampled unless the host says so. A name is a hint only: the list errs on the side
// of leaving out too much.
package sensitive

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// Secret reports whether a column seems to hold what gives access or proves an
// identity: a password, a token, a card number, a national number. A column about a secret,
// such as password_changed_at, is no secret.
func Secret(column string) bool {
	parts := split(column)
	if n := len(parts); n > 1 && (slices.Contains(aboutWords, parts[n-1]) || slices.Contains(flagWords, parts[0])) {
		return false
	}
	return matches(parts, secretParts, secretWords)
}

// Personal reports whether a column seems to identify a person, such as a name or an
// e-mail address. A key that refers to another table, such as email_id, does not.
func Personal(column string) bool {
	parts := split(column)
	if len(parts) > 1 && slices.Contains(keyWords, parts[len(parts)-1]) {
		return false
	}
	return matches(parts, personalParts, personalWords)
}

func split(column string) []string {
	return strings.FieldsFunc(strings.ToLower(textmatch.Spaced(column)), func(r rune) bool { return r == ' ' || r == '-' })
}

func matches(parts, inside, whole []string) bool {
	parts = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return strings.HasPrefix(part, "secretar") }) // a secretary
	joined := strings.Join(parts, "")
	return slices.ContainsFunc(inside, func(part string) bool { return strings.Contains(joined, part) }) ||
		slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(whole, part) })
}

var (
	keyWords    = strings.Fields(`id ids key fk ref uuid guid`)
	flagWords   = strings.Fields(`is has needs requires`)
	aboutWords  = strings.Fields(`count type length date at required enabled changed attempts`)
	secretParts = strings.Fields(`password passwd passphrase passwort kennwort secret apikey privatekey accesskey
		accesstoken refreshtoken sessiontoken credential socialsecurity taxid passport nationalid steuerid
		steuernummer sozialversicherung ausweis creditcard cardnumber ccnumber kreditkarte iban kontonummer
		pincode pwhash encryptionkey signingkey authcode zugangsdaten zugangscode geheim losungswort`)
	secretWords   = strings.Fields(`pwd pw pin cvv cvc otp ssn salt hash token`)
	personalParts = strings.Fields(`email firstname lastname fullname surname maidenname birth telephone phonenumber
		mobile vorname nachname geburt telefon strasse street ipaddress licenseplate kennzeichen`)
	personalWords = strings.Fields(`mail phone fax dob lname fname ip address adresse`)
)
