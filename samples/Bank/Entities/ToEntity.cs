namespace Bank.Entities;

/// <summary>A message for the entity with this id.</summary>
public sealed record ToEntity(string Id, object Message);
