using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Http;

public sealed class RouterTests
{
    private readonly Router _router = Routes.All();

    [Theory]
    [InlineData("/databases/db/docs", "db", "/docs")]
    [InlineData("/DATABASES/My Db/DOCS", "My Db", "/docs")]
    [InlineData("/databases/db/docs/", "db", "/docs")]
    [InlineData("/databases/docs/admin/record", "docs", "/admin/record")]
    [InlineData("/databases", "", "/databases")]
    [InlineData("/Topology", "", "/topology")]
    public void A_path_is_found_in_any_casing(string path, string database, string route)
    {
        var found = _router.Find(path, out var name);

        Assert.Equal(route, found?.Path);
        Assert.Equal(database, name.ToString());
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/docs")]
    [InlineData("/databases/db")]
    [InlineData("/databases/db/nothing")]
    [InlineData("/databases//docs")]
    public void An_unknown_path_is_not_found(string path) => Assert.Null(_router.Find(path, out _));

    [Fact]
    public void Methods_are_told_apart()
    {
        var route = _router.Find("/databases/db/docs", out _)!;
        Assert.NotNull(route.Find("get"));
        Assert.NotNull(route.Find("PATCH"));
        Assert.Null(route.Find("TRACE"));
        Assert.Contains("PUT", route.Methods);
    }
}
