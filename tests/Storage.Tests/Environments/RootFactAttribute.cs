using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>A test that mounts a file system; skipped for users who may not.</summary>
internal sealed class RootFactAttribute : FactAttribute
{
    public RootFactAttribute()
    {
        if (Environment.UserName != "root")
            Skip = "mounting a file system of a known size needs root";
    }
}
