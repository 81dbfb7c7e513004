namespace Jackdaw.Search;

/// <summary>Every limit of an index in one place. All are fixed by the format or by what memory a batch may take (no settings).</summary>
public static class SearchLimits
{
    /// <summary>Bytes of a source key.</summary>
    public const int MaxSourceKeyBytes = 900;

    /// <summary>Bytes of a field's name in UTF-8.</summary>
    public const int MaxFieldNameBytes = 512;

    /// <summary>Fields of an index.</summary>
    public const int MaxFields = 65_000;

    /// <summary>Bytes of a text term that is kept whole. A longer one is found by equality and by prefixes up to
    /// <see cref="CutTermPrefixBytes"/>.</summary>
    public const int MaxWholeTermBytes = 512;

    /// <summary>Bytes that are kept of a term that is cut.</summary>
    public const int CutTermPrefixBytes = 496;

    /// <summary>Bytes of one value that is added to an entry.</summary>
    public const int MaxValueBytes = 256 << 20;

    /// <summary>Bytes of an entry's stored section.</summary>
    public const int MaxStoredBytes = 64 << 20;

    /// <summary>Values of one entry, each word of a text counted.</summary>
    public const int MaxValuesOfEntry = 16_000_000;

    /// <summary>From the position of the last word of a value to the first position of the field's next value, so that no phrase reaches
    /// from one into the other. Fixed by the format.</summary>
    public const int PositionGap = 100;

    /// <summary>Bytes of native memory that one part of a batch takes. A batch that comes near is to be applied first.</summary>
    public const int MaxBatchPartBytes = 1 << 30;

    /// <summary>Bytes of the name of an owner's state.</summary>
    public const int MaxStateNameBytes = 200;
}
