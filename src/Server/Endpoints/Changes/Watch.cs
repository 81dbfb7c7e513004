namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>Something that a client watches.</summary>
/// <param name="Kind">Of what kind.</param>
/// <param name="Name">In the form that is compared (lower case); empty where the kind needs none.</param>
internal readonly record struct Watch(WatchKind Kind, string Name)
{
    /// <summary>Its notifications come from reading the database's changes.</summary>
    public bool IsOfDocuments => Kind is WatchKind.AllDocuments or WatchKind.Document or WatchKind.Prefix or WatchKind.Collection;
}
