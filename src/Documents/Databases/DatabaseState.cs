namespace Jackdaw.Documents;

/// <summary>Where a database is in its life. The numbers are part of the storage format.</summary>
public enum DatabaseState
{
    /// <summary>Recorded, its folder perhaps half made; undone at the next start.</summary>
    Creating = 1,

    /// <summary>In use: its folder is complete.</summary>
    Ready = 2,

    /// <summary>Recorded, its folder perhaps half deleted; finished at the next start.</summary>
    Deleting = 3,
}
