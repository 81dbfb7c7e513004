namespace Jackdaw.Etl.Configuration;

/// <summary>Where a transform without a position starts.</summary>
public readonly record struct StartPosition
{
    private StartPosition(bool isNow, long afterEtag, DateTime? since)
    {
        IsNow = isNow;
        AfterEtag = afterEtag;
        Since = since;
    }

    /// <summary>Everything that there is.</summary>
    public static StartPosition Beginning { get; } = new(false, 0, null);

    /// <summary>Only what is committed from the task's first start on.</summary>
    public static StartPosition Now { get; } = new(true, 0, null);

    /// <summary>Changes with a higher etag.</summary>
    public static StartPosition After(long etag)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(etag);
        return new(false, etag, null);
    }

    /// <summary>Changes of that moment (UTC) and later.</summary>
    public static StartPosition From(DateTime utc) => new(false, 0, DateTime.SpecifyKind(utc, DateTimeKind.Utc));

    /// <summary>True when only changes after the task's creation are sent.</summary>
    public bool IsNow { get; }

    /// <summary>Changes after this etag are sent, unless <see cref="IsNow"/>.</summary>
    public long AfterEtag { get; }

    /// <summary>Null unless a date was given.</summary>
    public DateTime? Since { get; }
}
