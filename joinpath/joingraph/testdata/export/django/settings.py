# Settings of the Django example.
INSTALLED_APPS = ["service"]
DATABASES = {}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
SECRET_KEY = "not a secret"
