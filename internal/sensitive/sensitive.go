// Package sensitive recognises by its name a column that should not be shown or
// sampled unless the host says so. A name is a hint only: the list errs on the side
// of leaving out too much.
package sensitive

import (
	"cmp"
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
	phrase := "_" + strings.Join(parts, "_") + "_"
	return matches(parts, secretParts, secretWords) || phrase == "_pw_" || phrase == "_pass_" ||
		slices.ContainsFunc(secretPhrases, func(p string) bool { return strings.Contains(phrase, "_"+p+"_") })
}

// Personal reports whether a column seems to identify a person, such as a name or an
// e-mail address. A key that refers to another table, such as email_id, does not.
func Personal(column string) bool {
	parts := split(column)
	return (len(parts) <= 1 || !slices.Contains(keyWords, parts[len(parts)-1])) && matches(parts, personalParts, personalWords)
}

func split(column string) []string {
	lower := strings.ReplaceAll(strings.ToLower(textmatch.Spaced(column)), "ß", "ss")
	parts := strings.FieldsFunc(lower, func(r rune) bool { return r == ' ' || r == '-' || r == ':' })
	for i, part := range parts {
		parts[i] = cmp.Or(strings.TrimRight(part, "0123456789"), part) // token2
	}
	return parts
}

func matches(parts, inside, whole []string) bool {
	isSecretary := func(part string) bool { return strings.HasPrefix(part, "secretar") }
	parts = slices.DeleteFunc(slices.Clone(parts), isSecretary)
	joined := strings.Join(parts, "")
	return slices.ContainsFunc(inside, func(part string) bool { return strings.Contains(joined, part) }) ||
		slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(whole, part) })
}

var (
	keyWords    = strings.Fields(`id ids key fk ref uuid guid`)
	flagWords   = strings.Fields(`is has needs requires`)
	aboutWords  = strings.Fields(`count type length date at required enabled changed attempts`)
	secretParts = strings.Fields(`password passwd passphrase passwort kennwort secret apikey privatekey accesskey
		accesstoken refreshtoken sessiontoken credential socialsecurity passport nationalid steuerid steuernr
		steuernummer sozialversicherung rentenversicherung ausweis reisepass creditcard cardnumber kreditkarte
		pincode passcode pwhash pwdhash encryptionkey signingkey authcode zugangsdaten zugangscode losungswort`)
	secretWords = strings.Fields(`pwd pin puk cvv cvc otp totp ssn svnr salt hash token jwt cookie cookies iban
		kontonummer taxid geheim geheimnis geheimzahl geheimcode`)
	secretPhrases = strings.Fields(`tax_id cc_number cc_num card_no card_num bank_account_number bank_account_no konto_nr
		sv_nummer sv_nr user_pw usr_pw login_pw admin_pw db_pw root_pw user_pass login_pass admin_pass db_pass smtp_pass
		mail_pass ftp_pass auth_key priv_key enc_key aes_key hmac_key recovery_code recovery_codes backup_code
		backup_codes reset_code verification_code access_code security_code security_answer`)
	personalParts = strings.Fields(`email firstname lastname fullname surname maidenname birth telephone phonenumber
		mobile vorname nachname geburt telefon strasse street ipaddress licenseplate kennzeichen`)
	personalWords = strings.Fields(`mail phone fax dob lname fname ip address adresse`)
)
