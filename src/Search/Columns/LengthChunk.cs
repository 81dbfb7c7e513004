namespace Jackdaw.Search.Columns;

/// <summary>Sizes of the chunks that hold lengths. Layout: docs/search-format.md, "Named structures".</summary>
internal static class LengthChunk
{
    /// <summary>Lengths of a chunk.</summary>
    public const int Lengths = 2016;

    /// <summary>Bytes of a chunk.</summary>
    public const int Bytes = Lengths * sizeof(uint);
}
