package sensitive_test

import (
	"testing"

	"github.com/qedkit/qed/internal/sensitive"
)

func TestNames(t *testing.T) {
	for column, want := range map[string][2]bool{
		"password_hash":             {true, false},
		"userPassword":              {true, false},
		"API_KEY":                   {true, false},
		"access_token_id":           {true, false},
		"pin":                       {true, false},
		"IBAN":                      {true, false},
		"Kennwort":                  {true, false},
		"passwordId":                {true, false},
		"email":                     {false, true},
		"Email Address":             {false, true},
		"first_name":                {false, true},
		"Geburtsdatum":              {false, true},
		"dob":                       {false, true},
		"email_id":                  {false, false},
		"address_id":                {false, false},
		"name":                      {false, false},
		"pinned":                    {false, false},
		"shipping":                  {false, false},
		"hashtag":                   {false, false},
		"tokens_used":               {false, false},
		"token_count":               {false, false},
		"tokenExpiresAt":            {false, false},
		"password_policy":           {true, false},
		"last_password_change_date": {false, false},
		"hasPassword":               {false, false},
		"otp_enabled":               {false, false},
		"secretary_id":              {false, false},
		"client_secret_arn":         {true, false},
		"user_pass":                 {true, false},
		"token2":                    {true, false},
		"token:1":                   {true, false}, // the second one of a view of SQLite
		"tokens_used:1":             {false, false},
		"Paßwort":                   {true, false},
		"backup_codes":              {true, false},
		"cc_num":                    {true, false},
		"Steuer_Nr":                 {true, false},
		"customer_iban":             {true, false},
		"pw":                        {true, false},
		"peak_pw":                   {false, false},
		"pflegeheim_id":             {false, false},
		"sachkontonummer":           {false, false},
		"fcc_number":                {false, false},
		"taxi_distance":             {false, false},
		"wifi_band":                 {false, false},
		"test_pass":                 {false, false},
		"credit_card_expiry":        {true, false},
		"Sekretariat":               {false, false},
		"client_secret":             {true, false},
		"secretariesSecret":         {true, false},
		"Geheimnis":                 {true, false},
		"Zugangscode":               {true, false},
		"Kontonummer":               {true, false},
		"usr_pw":                    {true, false},
		"PwHash":                    {true, false},
		"cc_number":                 {true, false},
		"count":                     {false, false},
		"has_1":                     {false, false},
		"ip":                        {false, true},
		"tip":                       {false, false},
		"status":                    {false, false},
		"":                          {false, false},
	} {
		if got := [2]bool{sensitive.Secret(column), sensitive.Personal(column)}; got != want {
			t.Errorf("%q: secret and personal are %v, want %v", column, got, want)
		}
	}
}
