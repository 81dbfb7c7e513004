namespace Jackdaw.Documents.Watching;

/// <summary>What can happen in a collection.</summary>
[Flags]
public enum ChangeKinds
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Documents are written.</summary>
    Documents = 1,

    /// <summary>Documents are deleted.</summary>
    Deletions = 2,

    /// <summary>Whatever happens.</summary>
    All = Documents | Deletions,
}
