# A part of a field service application, in Django.
from django.db import models


class Customer(models.Model):
    name = models.CharField(max_length=50)

    class Meta:
        db_table = "customer"


class Address(models.Model):
    city = models.CharField(max_length=50)


class Skill(models.Model):
    name = models.CharField(max_length=50)


class Employee(models.Model):
    manager = models.ForeignKey("self", models.SET_NULL, null=True)
    skills = models.ManyToManyField(Skill)


class Profile(models.Model):
    employee = models.OneToOneField(Employee, models.CASCADE)


class WorkOrder(models.Model):
    customer = models.ForeignKey(Customer, models.CASCADE, db_constraint=False)
    billing_address = models.ForeignKey(Address, models.CASCADE, related_name="+", db_column="billing")
    shipping_address = models.ForeignKey(Address, models.CASCADE, related_name="+")


class Invoice(models.Model):
    clerk = models.ForeignKey(Employee, models.CASCADE)
    orders = models.ManyToManyField(WorkOrder)

    class Meta:
        db_table = '"billing"."invoice"'


class Payment(models.Model):
    invoice = models.ForeignKey(Invoice, models.CASCADE)

    class Meta:
        db_table = "billing`.`payment"
