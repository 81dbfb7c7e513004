using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Space;

/// <summary>
/// Where free space may begin, remembered from one writer to the next. The bitmap alone decides what is free: a hint that is too
/// low costs a
/// scan, and none can cause a double allocation. A hint that is too high would grow the file needlessly, so an aborted
/// transaction calls <see cref="Forget"/>.
/// Used by one writer at a time.
/// </summary>
internal sealed class FreeSpaceHints
{
    private GroupHint[] _groups = [];

    /// <summary>No group below this one has a free page.</summary>
    public int FirstGroup { get; set; }

    /// <summary>Forgets everything: after a transaction that had allocated was dropped.</summary>
    public void Forget()
    {
        FirstGroup = 0;
        Array.Fill(_groups, GroupHint.Unknown);
    }

    /// <summary>The hint of a group; the reference holds until a higher group is asked for.</summary>
    public ref GroupHint Of(int group)
    {
        if (group >= _groups.Length)
            Extend(group + 1);
        return ref _groups[group];
    }

    private void Extend(int groups)
    {
        int known = _groups.Length;
        Array.Resize(ref _groups, Math.Max(groups, known * 2));
        _groups.AsSpan(known).Fill(GroupHint.Unknown);
    }

    /// <summary>Bounds on what one group has free.</summary>
    internal struct GroupHint
    {
        public static readonly GroupHint Unknown = new() { LongestRun = (int)PageLayout.GroupPages, RunSize = (int)PageLayout.GroupPages };

        /// <summary>No page of the group below this index is free.</summary>
        public int LowestFree;

        /// <summary>No free run of the group is longer than this.</summary>
        public int LongestRun;

        /// <summary>No free run of at least <see cref="RunSize"/> pages begins below this index.</summary>
        public int RunsFrom;

        public int RunSize;
    }
}
