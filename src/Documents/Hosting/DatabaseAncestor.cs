using Jackdaw.Documents.Ids;

namespace Jackdaw.Documents;

/// <summary>A database that this one is a copy of, or a copy of a copy.</summary>
/// <param name="DatabaseId">The id that it has.</param>
/// <param name="ForkEtag">The last etag that both have in common.</param>
public readonly record struct DatabaseAncestor(Guid DatabaseId, long ForkEtag)
{
    /// <summary>The id as change vectors carry it: 22 characters of base64.</summary>
    public string DatabaseIdText => ChangeVector.DatabaseIdText(DatabaseId);
}
